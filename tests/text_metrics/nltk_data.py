"""A folder of NLTK data as the downloader leaves it, built from installable packages instead."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import punkt
from sacremoses.corpus import Perluniprops

#: Debian's package wordnet-base.
WORDNET = Path("/usr/share/wordnet")


def build(folder: Path) -> None:
    """Write punkt_tab (English), wordnet and perluniprops."""
    _punkt(folder / "tokenizers/punkt_tab/english")
    _wordnet(folder / "corpora/wordnet")
    _perluniprops(folder / "misc/perluniprops")
    for archive in ("tokenizers/punkt", "tokenizers/punkt_tab", "corpora/wordnet", "misc/perluniprops"):
        # The SDK looks whether the downloaded archives lie there; NLTK reads the folders.
        zipfile.ZipFile(folder / f"{archive}.zip", "w").close()


def _punkt(folder: Path) -> None:
    folder.mkdir(parents=True)
    model = punkt.load_model("english")
    for name, rows in {
        "abbrev_types.txt": model.abbrev_types,
        "sent_starters.txt": model.sent_starters,
        "collocations.tab": map("\t".join, model.collocations),
        "ortho_context.tab": (f"{word}\t{context}" for word, context in model.ortho_context.items()),
    }.items():
        (folder / name).write_text("\n".join(rows), encoding="utf-8")


def _wordnet(folder: Path) -> None:
    folder.mkdir(parents=True)
    for path in WORDNET.glob("*.*"):
        shutil.copyfile(path, folder / path.name)
    # Two files that Debian leaves out; NLTK reads them, but no synonym depends on what they say.
    (folder / "lexnames").write_text("".join(f"{number:02}\tlexicographer.file{number}\t1\n" for number in range(45)))
    (folder / "index.sense").touch()


def _perluniprops(folder: Path) -> None:
    folder.mkdir(parents=True)
    for category in ("Number", "Punctuation", "Symbol"):
        (folder / f"{category}.txt").write_text("\n".join(Perluniprops().chars(category)), encoding="utf-8")
