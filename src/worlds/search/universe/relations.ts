/**
 * The relations of a universe: the kinds they join, the sentences that state them in an article, and the questions and
 * noun phrases that ask for them. Held-out questions use other wordings than training questions; a held-out wording is
 * new as a whole, but all of its words occur in training, because a policy that learns only from these texts could not
 * know others. Pure data, from which generator, writer, questions and reader take what they need.
 *
 * In a sentence `{s}` is the article's subject by name or pronoun, `{s's}` its possessive, `{S}` its name, `{o}` the
 * object.
 */

export const kinds = ['person', 'town', 'region', 'organisation', 'work'] as const;
export type Kind = (typeof kinds)[number];

export interface Relation {
  id: string;
  subjects: readonly Kind[];
  /** A kind of article, or a plain value. */
  object: Kind | 'year' | 'count' | 'occupation';
  /** The relation has several objects per subject. Each of them is a right answer, and no chain continues from it. */
  many?: true;
  sentences: readonly string[];
  questions: Wordings;
  /** Noun phrases for the object, for use inside a longer question. */
  phrases: Wordings;
}

/** Wordings of training questions, further ones for training on many wordings, and those of held-out questions. */
interface Wordings {
  train: readonly string[];
  more: readonly string[];
  test: readonly string[];
}

const none = { train: [], more: [], test: [] };

export const relations: readonly Relation[] = [
  {
    id: 'occupation',
    subjects: ['person'],
    object: 'occupation',
    sentences: ['{s} is a {o}.', '{s} works as a {o}.', '{s} earns a living as a {o}.'],
    questions: {
      train: ['What is the occupation of {s}?', 'What does {s} do for a living?', 'As what does {s} earn a living?'],
      more: ['What work does {s} do?', 'Which occupation does {s} have?', 'As what is {s} employed?'],
      test: ['As what does {s} work?'],
    },
    phrases: none,
  },
  {
    id: 'birthplace',
    subjects: ['person'],
    object: 'town',
    sentences: ['{s} was born in {o}.', '{s} comes from {o}.', "{s's} birthplace is {o}."],
    questions: {
      train: [
        'Where was {s} born?',
        'In which town was {s} born?',
        'Where does {s} come from?',
        'Which town is the birthplace of {s}?',
      ],
      more: ['Where is the birthplace of {s}?', 'From which town does {s} come?', 'What town was {s} born in?'],
      test: ['What is the birthplace of {s}?'],
    },
    phrases: {
      train: ['the birthplace of {s}', 'the town where {s} was born'],
      more: ['the town in which {s} was born', 'the town from which {s} comes'],
      test: ['the town that {s} comes from'],
    },
  },
  {
    id: 'birth year',
    subjects: ['person'],
    object: 'year',
    sentences: ['{s} was born in the year {o}.', "{s's} year of birth is {o}."],
    questions: {
      train: ['When was {s} born?', 'In which year was {s} born?', 'Which year is the year of birth of {s}?'],
      more: ['What year was {s} born in?', 'Which year of birth does {s} have?'],
      test: ['What is the year of birth of {s}?'],
    },
    phrases: none,
  },
  {
    id: 'spouse',
    subjects: ['person'],
    object: 'person',
    sentences: ['{s} is married to {o}.', "{s's} partner is {o}."],
    questions: {
      train: ['Who is married to {s}?', 'To whom is {s} married?', 'Whose partner is {s}?'],
      more: ['Who is {s} married to?', 'Which person is the partner of {s}?', 'Which person is married to {s}?'],
      test: ['Who is the partner of {s}?'],
    },
    phrases: {
      train: ['the partner of {s}'],
      more: ['the person to whom {s} is married', 'the person who is the partner of {s}'],
      test: ['the person married to {s}'],
    },
  },
  {
    id: 'teacher',
    subjects: ['person'],
    object: 'person',
    sentences: ['{s} was taught by {o}.', '{s} learned the trade from {o}.', "{s's} teacher was {o}."],
    questions: {
      train: ['Who taught {s}?', 'From whom did {s} learn the trade?', 'Which person was the teacher of {s}?'],
      more: ['By whom was {s} taught?', 'Which person taught {s}?'],
      test: ['Who was the teacher of {s}?'],
    },
    phrases: {
      train: ['the teacher of {s}'],
      more: ['the person from whom {s} learned the trade', 'the person by whom {s} was taught'],
      test: ['the person who taught {s}'],
    },
  },
  {
    id: 'employer',
    subjects: ['person'],
    object: 'organisation',
    sentences: ['{s} works at {o}.', '{s} is employed by {o}.', "{s's} employer is {o}."],
    questions: {
      train: ['Where does {s} work?', 'Who employs {s}?', 'By which organisation is {s} employed?'],
      more: ['Which organisation employs {s}?', 'Where is {s} employed?', 'Who is the employer of {s}?'],
      test: ['By whom is {s} employed?'],
    },
    phrases: {
      train: ['the employer of {s}'],
      more: ['the organisation that employs {s}', 'the organisation by which {s} is employed'],
      test: ['the organisation where {s} works'],
    },
  },
  {
    id: 'works',
    subjects: ['person'],
    object: 'work',
    many: true,
    sentences: ['{s} made {o}.', '{s} is the creator of {o}.', "{s's} works include {o}."],
    questions: {
      train: ['Name a work of {s}.', 'What did {s} make?', 'Which work is by {s}?'],
      more: ['Which work did {s} make?', 'What was made by {s}?', 'What is a work by {s}?'],
      test: ['Which work was made by {s}?'],
    },
    phrases: none,
  },
  {
    id: 'students',
    subjects: ['person'],
    object: 'person',
    many: true,
    sentences: ['{s} taught {o}.', "{s's} students include {o}."],
    questions: {
      train: ['Name a student of {s}.', 'Whom did {s} teach?', 'Which person was taught by {s}?'],
      more: ['Who is a student of {s}?', 'Who learned the trade from {s}?', 'Which person did {s} teach?'],
      test: ['Who was taught by {s}?'],
    },
    phrases: none,
  },
  {
    id: 'region',
    subjects: ['town'],
    object: 'region',
    sentences: ['{s} is a town in {o}.', '{s} lies in {o}.', '{s} belongs to {o}.'],
    questions: {
      train: ['In which region does {s} lie?', 'In which region is {s}?', 'Which region does {s} belong to?'],
      more: ['Where does {s} lie?', 'What is the region of {s}?', 'Which region has {s} as a town?'],
      test: ['To which region does {s} belong?'],
    },
    phrases: {
      train: ['the region of {s}'],
      more: ['the region to which {s} belongs', 'the region in which {s} lies'],
      test: ['the region where {s} lies'],
    },
  },
  {
    id: 'mayor',
    subjects: ['town'],
    object: 'person',
    sentences: ["{s's} mayor is {o}.", 'The mayor of {S} is {o}.', '{s} elected {o} as mayor.'],
    questions: {
      train: ['Who is the mayor of {s}?', 'Whom did {s} elect as mayor?', 'Which person is mayor in {s}?'],
      more: [
        'Which person did {s} elect as mayor?',
        'Whom does {s} have as mayor?',
        'Who was elected as mayor in {s}?',
      ],
      test: ['Who is mayor in {s}?'],
    },
    phrases: {
      train: ['the mayor of {s}'],
      more: ['the person who is mayor in {s}', 'the person that is the mayor of {s}'],
      test: ['the person whom {s} elected as mayor'],
    },
  },
  {
    id: 'population',
    subjects: ['town'],
    object: 'count',
    sentences: ['{s} has {o} inhabitants.', '{o} people live in {S}.'],
    questions: {
      train: [
        'How many people live in {s}?',
        'How many inhabitants does {s} have?',
        'What number of people live in {s}?',
      ],
      more: ['What is the number of people in {s}?', 'What number of inhabitants does {s} have?'],
      test: ['What is the number of inhabitants of {s}?'],
    },
    phrases: none,
  },
  {
    id: 'founder',
    subjects: ['town', 'organisation'],
    object: 'person',
    sentences: ['{s} was founded by {o}.', "{s's} founder was {o}.", '{o} founded {S}.'],
    questions: {
      train: ['Who founded {s}?', 'By whom was {s} founded?', 'Which person was the founder of {s}?'],
      more: ['Which person founded {s}?', 'Whom does {s} have as founder?'],
      test: ['Who was the founder of {s}?'],
    },
    phrases: {
      train: ['the founder of {s}'],
      more: ['the person by whom {s} was founded', 'the person who was the founder of {s}'],
      test: ['the person who founded {s}'],
    },
  },
  {
    id: 'founding year',
    subjects: ['town', 'organisation'],
    object: 'year',
    sentences: ['{s} was founded in the year {o}.', '{s} dates from {o}.'],
    questions: {
      train: ['When was {s} founded?', 'In which year was {s} founded?', 'Which year does {s} date from?'],
      more: ['What year does {s} date from?', 'What year was {s} founded in?'],
      test: ['From which year does {s} date?'],
    },
    phrases: none,
  },
  {
    id: 'capital',
    subjects: ['region'],
    object: 'town',
    sentences: ["{s's} capital is {o}.", 'The capital of {S} is {o}.', '{s} is ruled from {o}.'],
    questions: {
      train: ['What is the capital of {s}?', 'Which town is the capital of {s}?', 'From where is {s} ruled?'],
      more: ['What town is {s} ruled from?', 'Where is the capital of {s}?'],
      test: ['From which town is {s} ruled?'],
    },
    phrases: {
      train: ['the capital of {s}'],
      more: ['the town that is the capital of {s}', 'the town {s} is ruled from'],
      test: ['the town from which {s} is ruled'],
    },
  },
  {
    id: 'governor',
    subjects: ['region'],
    object: 'person',
    sentences: ['{s} is governed by {o}.', "{s's} governor is {o}."],
    questions: {
      train: ['Who governs {s}?', 'By whom is {s} governed?', 'Which person is the governor of {s}?'],
      more: ['Which person governs {s}?', 'Whom does {s} have as governor?'],
      test: ['Who is the governor of {s}?'],
    },
    phrases: {
      train: ['the governor of {s}'],
      more: ['the person by whom {s} is governed', 'the person who is the governor of {s}'],
      test: ['the person who governs {s}'],
    },
  },
  {
    id: 'seat',
    subjects: ['organisation'],
    object: 'town',
    sentences: ['{s} has its seat in {o}.', '{s} is based in {o}.'],
    questions: {
      train: ['Where is {s} based?', 'In which town is {s} based?', 'In which town does {s} have its seat?'],
      more: ['Where is the seat of {s}?', 'What town is {s} based in?', 'Which town is the seat of {s}?'],
      test: ['Where does {s} have its seat?'],
    },
    phrases: {
      train: ['the seat of {s}'],
      more: ['the town in which {s} is based', 'the town where {s} has its seat'],
      test: ['the town where {s} is based'],
    },
  },
  {
    id: 'director',
    subjects: ['organisation'],
    object: 'person',
    sentences: ['{s} is directed by {o}.', "{s's} director is {o}."],
    questions: {
      train: ['Who directs {s}?', 'By whom is {s} directed?', 'Which person is the director of {s}?'],
      more: ['Which person directs {s}?', 'Whom does {s} have as director?'],
      test: ['Who is the director of {s}?'],
    },
    phrases: {
      train: ['the director of {s}'],
      more: ['the person by whom {s} is directed', 'the person who is the director of {s}'],
      test: ['the person who directs {s}'],
    },
  },
  {
    id: 'creator',
    subjects: ['work'],
    object: 'person',
    sentences: ['{s} was made by {o}.', "{s's} creator is {o}.", '{o} made {S}.'],
    questions: {
      train: ['Who made {s}?', 'By whom was {s} made?', 'Which person is the creator of {s}?'],
      more: ['Which person made {s}?', 'Whom does {s} have as creator?'],
      test: ['Who is the creator of {s}?'],
    },
    phrases: {
      train: ['the creator of {s}'],
      more: ['the person by whom {s} was made', 'the person who is the creator of {s}'],
      test: ['the person who made {s}'],
    },
  },
  {
    id: 'finishing year',
    subjects: ['work'],
    object: 'year',
    sentences: ['{s} was finished in the year {o}.', '{s} dates from {o}.'],
    questions: {
      train: ['When was {s} finished?', 'In which year was {s} finished?', 'Which year does {s} date from?'],
      more: ['What year was {s} finished in?', 'What year does {s} date from?'],
      test: ['From which year does {s} date?'],
    },
    phrases: none,
  },
  {
    id: 'setting',
    subjects: ['work'],
    object: 'town',
    sentences: ['{s} is set in {o}.', '{s} tells of life in {o}.'],
    questions: {
      train: ['Where is {s} set?', 'In which town is {s} set?', 'Which town does {s} tell of?'],
      more: ['Which town is the setting of {s}?', 'What town does {s} tell of?'],
      test: ['Which town is {s} set in?'],
    },
    phrases: {
      train: ['the setting of {s}'],
      more: ['the town in which {s} is set', 'the town that {s} tells of'],
      test: ['the town where {s} is set'],
    },
  },
  {
    id: 'keeper',
    subjects: ['work'],
    object: 'organisation',
    sentences: ['{s} is kept by {o}.', '{s} is owned by {o}.', "{s's} keeper is {o}."],
    questions: {
      train: ['Who keeps {s}?', 'By whom is {s} kept?', 'Which organisation owns {s}?'],
      more: ['Which organisation keeps {s}?', 'Which organisation is the keeper of {s}?'],
      test: ['Who owns {s}?'],
    },
    phrases: {
      train: ['the keeper of {s}'],
      more: ['the organisation by which {s} is kept', 'the organisation that owns {s}'],
      test: ['the organisation that keeps {s}'],
    },
  },
];

/** Sentences that name another article and state nothing that a question asks for. `{d}` is that article's name. */
export const asideSentences: readonly string[] = [
  '{s} is sometimes confused with {d}.',
  '{s} is not to be confused with {d}.',
  '{s} appears in a song about {d}.',
  '{s} is mentioned in a letter about {d}.',
  'A book compares {S} with {d}.',
  'Visitors of {d} often ask about {S}.',
];

const known = new Map(relations.map((relation) => [relation.id, relation]));

export function relationOf(id: string): Relation {
  return known.get(id)!;
}
