"""Pairs of response and expected response: picked by hand, and generated to hit what the metrics tell apart."""

from __future__ import annotations

import random
import string

SEED_PAIR = (
    "According to wikipedia, Marie Curie was not born in Paris but in Warsaw.",
    "Marie Curie was born in Warsaw.",
)

PICKED = [
    SEED_PAIR,
    ("", ""),
    ("", "Warsaw."),
    ("Warsaw.", ""),
    ("Warsaw", "Warsaw"),
    ("warsaw", "Warsaw"),
    ("...", "..."),
    ("?!", "!?"),
    (" \t\n ", "Warsaw"),
    ("the a an", "The an A"),
    ("Yes. No. Maybe.", "Yes. No. Perhaps."),
    ("He bought an automobile.", "He purchased a car."),
    ("The geese were swimming.", "A goose swam."),
    ("Better mice ran quicker", "good mouse run fast"),
    ("ice_cream is cold", "icecream is frigid"),
    ("It can't be; they're gonna go, wanna bet?", "It cannot be, they are going to go. Want to bet?"),
    ("'Tis the season", "It's the season"),
    ("Dr. Smith of the U.S. Dept. of State paid $3.88 on Jan. 5, 2024 at 5 p.m. He left.", "Dr. Smith paid $3.88."),
    ("No. 5 is alive. Mr. J. R. Brown e.g. said so.", "Mr. Brown said No. 5 is alive."),
    ('She said "no" (twice) -- and left...', "She said ``no'' twice; and left."),
    ("a a a a b b", "a b a b a b"),
    ("cars cars car", "car cars auto"),
    ("one,two;three:four/five", "one, two; three: four / five"),
    ("snake_case x=1 #tag @name 50% a&b <tag>", "snake case x = 1 tag name 50 % a & b"),
    ("state-of-the-art well-known", "state of the art known well"),
    ("1,000,000 1.5e10 3:45 2024-01-05", "1000000 15e9 3.45 2024/01/05"),
    ("word " * 400, "word " * 399 + "end"),
    ("The end.\n\n* first\n* second\n\tthird", "The end. first, second and third"),
]

NOT_ASCII = [
    ("O São Paulo é Varsóvia.", "São Paulo não é Varsóvia!"),
    ("De hygiënische coördinator reed 3,5 km.", "De coördinator reed 3.5 km"),
    ("“Ja”, zei hij… “nee” · €5.", "Ja, zei hij. Nee, 5 euro."),
    ("玛丽·居里出生于华沙。", "居里夫人出生于华沙。"),
    ("Résumé: 12½ % ≥ 10 %", "Resume: 12.5 % >= 10 %"),
]

#: Words that share a meaning, some of them inflected.
SYNONYMS = [
    ("car", "automobile", "cars", "autos"), ("buy", "purchase", "bought", "buying"), ("big", "large", "bigger"),
    ("begin", "start", "began", "starting"), ("fast", "quick", "quickly"), ("child", "kid", "children"),
    ("help", "aid", "assist", "helped"), ("employee", "employees"), ("holiday", "vacation", "holidays"),
    ("answer", "reply", "response", "answers"), ("choose", "pick", "chose", "select"), ("error", "mistake", "errors"),
    ("good", "better", "best", "well"), ("movie", "film", "picture"), ("house", "home", "houses"),
    ("run", "ran", "running"), ("doctor", "physician", "doc"), ("sick", "ill"), ("goose", "geese"), ("wolf", "wolves"),
]  # fmt: skip
PLAIN = (  # noqa: SIM905 - sixty quoted words are no better to read
    "the a an of to in is was and or not for on with by it this that we you they policy leave days week manager form "
    "Paris Warsaw Marie Curie Microsoft don't can't it's we'll they're I'd cannot gonna employee's 3.14 42 1,000 $5.00 "
    '50% 5pm e.g. i.e. U.S. Dr. Mr. Inc. p.m. No. St. Jan. re-use end-to-end x_y C++ #1 A.B.C. ... -- & / "quoted" '
    "(aside) 'single' [1] http://example.com/a?b=c user@example.com"
).split()
WORDS = PLAIN + [word for group in SYNONYMS for word in group]


def _sentence(rng: random.Random, longest: int) -> list[str]:
    return [rng.choice(WORDS) for _ in range(rng.randint(1, longest))]


def _changed(rng: random.Random, words: list[str]) -> list[str]:
    """Change words as another author might: a synonym, another form, left out, doubled, moved, replaced."""
    result = []
    for word in words:
        group = next(
            (group for group in SYNONYMS if word in group), (word, word.upper(), word.capitalize(), word + "s")
        )
        result += rng.choices(
            [[word], [rng.choice(group)], [], [word, word], [rng.choice(WORDS)]], weights=[60, 20, 8, 4, 8]
        )[0]
    if rng.random() < 0.3:
        cut = rng.randint(0, len(result))
        result = result[cut:] + result[:cut]
    return result


def _text(rng: random.Random, sentences: list[list[str]]) -> str:
    """Write sentences, with all kinds of ends and gaps."""
    text = ""
    for words in sentences:
        body = rng.choice([" ", " ", " ", ", ", "  "]).join(words)
        text += (body[:1].upper() + body[1:] if rng.random() < 0.8 else body) + rng.choice(
            [*".....!?", "...", "?!", ""]
        )
        text += rng.choice([" ", " ", " ", "\n", "  ", ""])
    return text


def _prose_pair(rng: random.Random, most: int, longest: int) -> tuple[str, str]:
    expected = [_sentence(rng, longest) for _ in range(rng.randint(1, most))]
    return _text(rng, [_changed(rng, words) for words in expected]), _text(rng, expected)


def _noise(rng: random.Random) -> str:
    return "".join(rng.choice("ab. ?!'\"`-" + rng.choice(string.printable)) for _ in range(rng.randint(0, 40)))


def pairs(count: int) -> list[tuple[str, str]]:
    """Return ``count`` pairs of ASCII texts, the same ones every time."""
    rng = random.Random(4)
    generated = []
    while len(generated) < count - len(PICKED):
        generated.append(
            rng.choices(
                [
                    lambda: _prose_pair(rng, 1, 12),
                    lambda: _prose_pair(rng, 4, 12),
                    lambda: _prose_pair(rng, 30, 12),
                    lambda: (_noise(rng), _noise(rng)),
                ],
                weights=[500, 300, 5, 195],
            )[0]()
        )
    return PICKED + generated
