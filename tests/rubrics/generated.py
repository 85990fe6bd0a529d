"""What a scripted model answers where it is asked for a rubric."""

from __future__ import annotations

import copy

ANSWER = {
    "most_important": {
        "id": "intent_recognition",
        "description": "Recognises whether the guest wants to book, change or cancel a reservation.",
        "weight": 9,
        "rationale": "The prompt lists these three tasks.",
    },
    "others": [
        {
            "id": "party_size",
            "description": "Refuses parties of more than 8 guests and offers a call to the restaurant.",
            "weight": 6,
            "rationale": "The house rules name the limit.",
        },
        {
            "id": "confirmation",
            "description": "Repeats date, time and number of guests before it books.",
            "weight": 3,
            "rationale": "The prompt demands a summary before booking.",
        },
    ],
    "general_quality": {
        "description": "Whatever else matters and the other dimensions leave out.",
        "weight": 4,
        "rationale": "For what nobody foresaw.",
    },
}


def answer(**changes):
    """The answer with values put in: ``others_0_weight=7`` changes the weight of the first of the others."""
    changed = copy.deepcopy(ANSWER)
    for path, value in changes.items():
        first, _, rest = path.partition("__")
        target, keys = changed, [first, *rest.split("__")] if rest else [first]
        for key in keys[:-1]:
            target = target[int(key) if key.isdigit() else key]
        last = keys[-1]
        if value is None:
            del target[int(last) if last.isdigit() else last]
        else:
            target[int(last) if last.isdigit() else last] = value
    return changed
