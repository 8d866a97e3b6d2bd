"""Plays tasks in AgentGym's own environments of tools (agentenv-tool), with stand-ins for their network clients, packages and files.

Usage: play.py CHECKOUT FAMILY, the family by AgentGym's name. Reads one JSON object per line: {"begin": task} or {"act": text}. Answers
{"ready": true} or {"answer": [observation, reward, done], "failed": ..., "set": ..., "expression": ...}. Before an answer it may write
{"ask": request}, to which the next line is the service's {"status": ..., "body": ...}.
"""

import ast
import builtins
import importlib
import importlib.util
import json
import logging
import math
import os
import sys
import types

checkout, family = sys.argv[1:]
package = os.path.join(checkout, "agentenv-tool")
out = sys.stdout
sys.stdout = open(os.devnull, "w")


def tell(message):
    out.write(json.dumps(message) + "\n")
    out.flush()


def ask(request):
    tell({"ask": request})
    return json.loads(sys.stdin.readline())


class Response:
    """A response of `requests`. Open-Meteo writes all numbers as floats, except the index of the air."""

    def __init__(self, answer):
        self.status_code = answer["status"]
        self.body = answer["body"]
        self.text = self.body if isinstance(self.body, str) else json.dumps(self.body)

    def json(self):
        if family != "weather":
            return json.loads(self.text)
        read = json.loads(self.text, parse_int=float)
        if "hourly" in read:
            read["hourly"] = self.body["hourly"]
        return read


def request(method):
    def send(url, params=None, headers=None):
        given = {key: str(value) for key, value in (params or {}).items() if value is not None}
        return Response(ask({"method": method, "url": url, "params": given}))

    return send


class Distance:
    def __init__(self, *coordinates):
        values = [value for pair in coordinates for value in pair]
        if not all(type(value) in (int, float) for value in values):
            raise ValueError("Coordinates must be numbers.")
        answer = ask({"call": "distance", "arguments": {"values": values}})["body"]
        if answer is None:
            raise ValueError("Coordinates must be numbers.")
        self.km = float(answer)


class APIError(Exception):
    pass


class Cell:
    def __init__(self, address, value=None):
        self.address = address
        self.value = value


def finite(value):
    """Numbers that JSON cannot write, as texts."""
    if isinstance(value, list):
        return [finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def book(call, **given):
    answer = ask({"call": call, "arguments": {key: finite(value) for key, value in given.items() if value is not None}})
    if answer["status"] != 200:
        raise APIError(answer["body"])
    return answer["body"]


def shown(value):
    """Cells as a sheet's interface returns them: texts."""
    if isinstance(value, list):
        return [shown(each) for each in value]
    return value if isinstance(value, str) else json.dumps(value)


def ends(area):
    start, _, end = area.partition(":")
    return {"start_position": start, "end_position": end}


class Worksheet:
    """gspread's worksheet, over the book of the task."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<Worksheet {self.name!r} id:0>"

    def get_all_values(self):
        return shown(book("get_all_values"))

    def get_values(self, area, combine_merged_cells=False):
        return shown(book("get_range_values", **ends(area)))

    def cell(self, row, column):
        return Cell(book("get_A1_annotation", row=row, col=column))

    def acell(self, position):
        return Cell(position, shown(book("get_cell_value", position=position)))

    def update_acell(self, position, value):
        book("update_cell", position=position, value=value)

    def update(self, area, values, raw=True):
        if isinstance(values, str):
            book("update_cell", position=area, value=values)
        else:
            book("update_range", **ends(area), values_list=values)

    def insert_rows(self, values, row, **_):
        book("insert_rows", values_list=values, row_idx=row)

    def insert_cols(self, values, column, **_):
        book("insert_cols", values_list=values, col_idx=column)

    def delete_dimension(self, dimension, index):
        book("delete_batch_data", dimension=dimension, index_list=[index])

    def delete_columns(self, index):
        self.delete_dimension("col", index)

    def sort(self, key):
        book("sort_sheet_by_col", col_num=key[0], order=key[1])

    def freeze(self, rows, cols):
        book("freeze_data", dimension="columns" if rows is None else "rows", num=cols if rows is None else rows)

    def merge_cells(self, area, merge_type):
        book("merge_cells", **ends(area))

    def update_note(self, position, content):
        book("update_note", position=position, content=content)

    def get_note(self, position):
        return book("get_note", position=position)

    def findall(self, query, in_row, in_column, case_sensitive):
        return [Cell(address) for address in book("filter_cells", query=getattr(query, "pattern", query), in_row=in_row, in_column=in_column)]


class Spreadsheet:
    def worksheet(self, name):
        book("open_sheet", name=name)
        return Worksheet(name)

    def del_worksheet(self, name):
        book("del_sheet", name=name)


class Graph:
    def __init__(self, net):
        self.nodes = net["nodes"]
        self.edges = {(start, end): edge for start, end, edge in net["edges"]}

    def neighbors(self, node):
        return [end for start, end in self.edges if start == node]


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def load():
    """The server's module, without its package, which starts a web server."""
    stand_in("dotenv", load_dotenv=lambda: None)
    stand_in("requests", get=request("GET"), post=request("POST"), delete=request("DELETE"))
    stand_in("geopy")
    stand_in("geopy.distance", geodesic=Distance)
    stand_in("gspread")
    stand_in("gspread.utils", Dimension=types.SimpleNamespace(rows="row", cols="col"))
    stand_in("pandas")
    stand_in("jsonlines")
    stand_in("utils.logging.agent_logger", AgentLogger=None)
    logging.disable(logging.CRITICAL)
    root = os.path.join(package, "Toolusage", "toolusage")
    os.environ["PROJECT_PATH"] = os.path.dirname(root)
    sys.path.insert(0, root)
    os.chdir(package)
    path = os.path.join(package, f"agentenv_{family}", f"{family}_environment.py")
    spec = importlib.util.spec_from_file_location("server", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


server = load()
tools = importlib.import_module(f"utils.{family}.{'sheets' if family == 'sheet' else family}_tools")
environment = getattr(server, f"{family.capitalize()}Env")
judge = getattr(server, f"{family}_env_server")
builtins_open = builtins.open


def replace_start(task):
    """The beginnings that fill an account, copy a sheet, or read files."""
    if family == "todo":
        tools.todo_toolkits.__init__ = lambda self: None
    if family == "sheet":
        tools.sheet_toolkits.__init__ = lambda self: setattr(self, "spreadsheet", Spreadsheet())
        tools.sheet_toolkits.init_sheets = lambda self: None
        tools.time = types.SimpleNamespace(sleep=lambda seconds: None)
    if family == "academia":
        names = {name: {node: node for node in task["nets"][net]["nodes"]} for name, net in (("title", "paper_net"), ("author", "author_net"))}
        files = {name: Graph(net) for name, net in task["nets"].items()}
        for name, nodes in names.items():
            files[f"{name}2id_dict"] = files[f"id2{name}_dict"] = nodes
        tools.open = lambda path, mode: builtins_open(os.devnull, "rb") if not path.endswith(".pkl") else Pickled(files[os.path.basename(path)[:-4]])
        tools.pickle = types.SimpleNamespace(load=lambda file: file.value)


class Pickled:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def floats(value):
    """Open-Meteo's numbers are floats; so are the answers made of them."""
    if isinstance(value, list):
        return [floats(each) for each in value]
    return float(value) if type(value) is int else value


def begin(task):
    replace_start(task)
    answer = floats(task["answer"]) if family == "weather" else task["answer"]
    dataset = {
        "goal": task["goal"],
        "ground_truth": task.get("truth", answer),
        "ground_truth_subgoals": [sorted(answer) if isinstance(answer, list) else answer],
        "current_date": task.get("today"),
        "current_location": task.get("place"),
    }
    env = environment(dataset=dataset)
    if family == "todo":
        env.todo_toolkits.current_date, env.todo_toolkits.current_location = task["today"], task["place"]
    judge.env[0] = env


def holds_set(value):
    if isinstance(value, dict):
        return any(holds_set(each) for pair in value.items() for each in pair)
    return isinstance(value, set) or (isinstance(value, (list, tuple)) and any(holds_set(each) for each in value))


def kind_of(source):
    """Inputs that cannot agree: a set, whose order depends on hashes, and an expression, which is not evaluated here."""
    try:
        return {"set": holds_set(ast.literal_eval(source)), "expression": False}
    except Exception:
        try:
            eval(source)
            return {"set": False, "expression": True}
        except Exception:
            return {"set": False, "expression": False}


def act(action):
    env = judge.env[0]
    before = len(env.action_path)
    name, given = server.extract_action_name_and_action_input(action)
    if family == "sheet" and given is not None:
        # The server repeats an action whose answer contains "error", up to four times.
        observation, reward, done, _ = env.step(action=f"{name} with Action Input: {given}")
        observation = f"Observation: {observation}\nGive me one action."
    else:
        observation, reward, done, _ = judge.step(0, action)
    added = env.action_path[before:]
    failed = any(" failed." in str(each["Observation"]) for each in added) if family == "sheet" else False
    return {"answer": [observation, float(reward), done], "failed": failed, **(kind_of(given.strip()) if given is not None else {})}


for line in sys.stdin:
    message = json.loads(line)
    if "begin" in message:
        begin(message["begin"])
        tell({"ready": True})
    else:
        tell(act(message["act"]))
