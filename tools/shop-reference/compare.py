"""Compares records of the shop with the originals: compare.py FOLDER WEBSHOP PARTS. Parts that need spaCy, Lucene or
torch get stand-ins: nouns from nouns.json, search results from the records. The part `speed` measures the steps of the
episodes, the part `lucene` the same with Lucene's own search (pyserini 0.22.1 with a JDK of 11 to 17, numpy, pandas,
pyjnius). Exits with 1 after a difference."""
import itertools
import json
import os
import random
import subprocess
import sys
import time
import types
import warnings

warnings.filterwarnings('ignore')
folder, webshop, parts = sys.argv[1], sys.argv[2], sys.argv[3].split(',')
sys.path.insert(0, webshop)
read = lambda name: json.load(open(os.path.join(folder, name)))
lines = lambda name: map(json.loads, open(os.path.join(folder, name)))
failed = False


def report(what, count, differences):
    global failed
    failed = failed or bool(differences)
    print(f'{what}: {count} compared, {len(differences)} different', flush=True)
    for difference in differences[:3]:
        print('  ', difference)


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


if 'lucene' in parts:
    # pyserini's packages import faiss, torch and transformers beside the search.
    import pyserini
    from pyserini.pyclass import autoclass
    home = os.path.dirname(pyserini.__file__)
    stand_in('pyserini.encode', QueryEncoder=None)
    stand_in('pyserini.search', __path__=[f'{home}/search'], JQuery=autoclass('org.apache.lucene.search.Query'),
             JQueryGenerator=autoclass('io.anserini.search.query.QueryGenerator'))
    stand_in('pyserini.search.lucene', __path__=[f'{home}/search/lucene'])
    from pyserini.search.lucene._searcher import LuceneSearcher
    sys.modules['pyserini.search.lucene'].LuceneSearcher = LuceneSearcher

nouns = read('nouns.json')
token = lambda text: types.SimpleNamespace(text=text, pos_='NOUN')
stand_in('spacy', load=lambda name: lambda text: [token(noun) for noun in nouns[text]])
stand_in('rich', print=lambda *given: None)
stand_in('cleantext')
stand_in('rank_bm25', BM25Okapi=None)
stand_in('tqdm', tqdm=lambda found, **given: found)
stand_in('torch')
stand_in('selenium')
registered = types.ModuleType('registration')
gym = stand_in('gym', Env=object, spaces=None)
stand_in('gym.envs')
stand_in('gym.envs.registration', register=lambda **given: None)
if 'lucene' not in parts:
    for name in ('pyserini', 'pyserini.search', 'pyserini.search.lucene'):
        stand_in(name)
    sys.modules['pyserini.search.lucene'].LuceneSearcher = None
    stand_in('numpy', cumsum=lambda found: types.SimpleNamespace(tolist=lambda: list(itertools.accumulate(found))))
# The package of environments also imports a browser.
for name in ('web_agent_site', 'web_agent_site.engine', 'web_agent_site.envs'):
    stand_in(name).__path__ = [os.path.join(webshop, name.replace('.', '/'))]


def load_shop():
    from web_agent_site.engine import engine
    engine.DEFAULT_ATTR_PATH = os.path.join(folder, 'attributes.json')
    engine.HUMAN_ATTR_PATH = os.path.join(folder, 'human.json')
    shop = lambda human: engine.load_products(os.path.join(folder, 'products.json'), human_goals=human)
    attributes = read('attributes.json')
    for asin in attributes:
        attributes[asin].setdefault('instruction', None)
    return shop


def compare_pairs():
    from thefuzz import fuzz
    levenshtein = 'StringMatcher' in fuzz.SequenceMatcher.__module__
    differences, count = [], 0
    for a, b, difflib_score, levenshtein_score in lines('pairs.jsonl'):
        count += 1
        score, ours = fuzz.token_set_ratio(a, b), levenshtein_score if levenshtein else difflib_score
        if score != ours:
            differences.append((a, b, score, ours))
    report(f'token_set_ratio with {"python-Levenshtein" if levenshtein else "difflib"}', count, differences)


def compare_purchases():
    from web_agent_site.engine.goal import get_reward
    _, by_id, _, _ = load_shop()(True)
    differences, count = [], 0
    for each in lines('purchases.jsonl'):
        count += 1
        goal = each['goal']
        options = dict(map(tuple, goal['options'])) if each['pairs'] else goal['options']
        theirs = {
            'query': goal['query'], 'product_category': goal['productCategory'], 'name': goal['name'],
            'attributes': goal['attributes'], 'goal_options': options, 'price_upper': goal['priceUpper'],
        }
        bought = dict(enumerate(each['values']))
        reward, info = get_reward(by_id[each['asin']], theirs, price=each['paid'], options=bought, verbose=True)
        if reward != each['reward'] or info['r_type'] != each['type']:
            differences.append((each, reward, info))
    report('reward', count, differences)


def recorded_search(hits):
    document = lambda asin: types.SimpleNamespace(raw=lambda: json.dumps({'id': asin}))
    return types.SimpleNamespace(
        search=lambda words, k: [types.SimpleNamespace(docid=asin) for asin in hits[words][:k]], doc=document)


def lucene_search(products):
    """Lucene's search over the products, indexed as WebShop does (search_engine/convert_product_file_format.py)."""
    from pyserini.search.lucene import LuceneSearcher
    texts, index = os.path.join(folder, 'texts'), os.path.join(folder, 'index')
    os.makedirs(texts)
    with open(os.path.join(texts, 'documents.jsonl'), 'w') as file:
        for each in products:
            options = ', and '.join(f'{name}: {", ".join(values)}' for name, values in each['options'].items())
            contents = ' '.join([each['Title'], each['Description'], each['BulletPoints'][0], options]).lower()
            file.write(json.dumps({'id': each['asin'], 'contents': contents, 'product': each}) + '\n')
    subprocess.run([
        sys.executable, '-m', 'pyserini.index.lucene', '--collection', 'JsonCollection', '--input', texts, '--index', index,
        '--generator', 'DefaultLuceneDocumentGenerator', '--threads', '1', '--storePositions', '--storeDocvectors',
        '--storeRaw'], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return LuceneSearcher(index)


def open_server(found):
    """WebShop's simulated server, and the function that opens an environment on a goal of ours."""
    from web_agent_site.envs import web_agent_text_env as environment
    load = load_shop()
    searcher = lucene_search(load(True)[0]) if 'lucene' in parts else recorded_search(found['found'])
    environment.load_products = lambda filepath, **given: load(True)
    environment.init_search_engine = lambda **given: searcher
    server = environment.SimServer('http://127.0.0.1:3000', 'products.json', human_goals=True)

    def open_env(number, goal):
        pairs = goal['options'] and isinstance(goal['options'][0], list)
        server.goals.append({
            'asin': goal['asin'], 'query': goal['query'], 'name': goal['name'], 'instruction_text': goal['instruction'],
            'product_category': goal['productCategory'], 'attributes': goal['attributes'],
            'price_upper': goal['priceUpper'],
            'goal_options': dict(map(tuple, goal['options'])) if pairs else goal['options'],
        })
        env = environment.WebAgentTextEnv(observation_mode='text', server=server)
        env.session_prefix = f'e{number}-'
        return env, len(server.goals) - 1

    return open_env


def compare_episodes():
    found = read('episodes.json')
    open_env = open_server(found)
    differences, count = [], 0
    for number, episode in enumerate(found['episodes']):
        env, session = open_env(number, episode['goal'])
        env.reset(session=session)

        def seen():
            env.observation_mode = 'text_rich'
            env.session = env.browser.session_id
            rich = env.observation
            env.observation_mode = 'text'
            return env.observation, rich

        first = episode['first']
        if seen() != (first['text'], first['rich']):
            differences.append((number, seen(), first))
        for turn in episode['turns']:
            count += 1
            _, reward, done, _ = env.step(turn['action'])
            theirs = (*seen(), env.get_available_actions()['clickables'], float(reward), done)
            ours = (turn['text'], turn['rich'], turn['clickables'], float(turn['reward']), turn['done'])
            if theirs != ours:
                differences.append((number, turn['action'], [(a, b) for a, b in zip(theirs, ours) if a != b]))
                break
    report('turns of episodes', count, differences)


def measure_episodes():
    """Seconds of CPU time of the original's steps, each with the list of its buttons, and the number of equal texts."""
    found = read('episodes.json')
    open_env = open_server(found)
    steps, seconds, equal = 0, 0.0, 0
    for number, episode in enumerate(found['episodes']):
        env, session = open_env(number, episode['goal'])
        env.reset(session=session)
        for turn in episode['turns']:
            before = time.process_time()
            text, _, _, _ = env.step(turn['action'])
            env.get_available_actions()
            seconds += time.process_time() - before
            steps += 1
            equal += text == turn['text']
    print(json.dumps({'steps': steps, 'seconds': seconds, 'equal': equal}))


def compare_goals(order, with_limits):
    from web_agent_site.engine.goal import get_goals
    orders = read('episodes.json')['orders']
    for kind, human in (('human', True), ('synthetic', False)):
        products, _, prices, _ = load_shop()(human)
        random.seed(5)
        goals = get_goals(products, prices, human)
        random.seed(233)
        random.shuffle(goals)
        ours = orders[f'{order} {kind}']
        differences = [] if len(goals) == len(ours) else [(len(goals), len(ours))]
        for place, (theirs, mine) in enumerate(zip(goals, ours)):
            options = theirs['goal_options']
            options = [list(pair) for pair in options.items()] if isinstance(options, dict) else list(options)
            limited = with_limits[kind]
            # A limit that upstream draws without a seed is any of the possible ones.
            text = lambda goal, name: goal[name] if limited else goal[name].split(', and price lower')[0]
            same = (theirs['asin'], text(theirs, 'instruction_text'), theirs['attributes'], options) == (
                mine['asin'], text(mine, 'instruction'), mine['attributes'], mine['options'])
            if not same or (limited and theirs['price_upper'] != mine['priceUpper']):
                differences.append((place, theirs, mine))
        report(f'{order}, {kind} instructions', len(goals), differences)


if 'pairs' in parts:
    compare_pairs()
if 'purchases' in parts:
    compare_purchases()
if 'episodes' in parts:
    compare_episodes()
if 'speed' in parts or 'lucene' in parts:
    measure_episodes()
if 'princeton' in parts:
    compare_goals('princeton', {'human': False, 'synthetic': False})
if 'agentgym' in parts:
    compare_goals('agentgym', {'human': True, 'synthetic': True})
sys.exit(1 if failed else 0)
