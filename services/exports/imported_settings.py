"""The settings in a manifest as a corpus takes them: only those that are known, and of the right type."""

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from kg.corpus import CorpusSettings
from kg.errors import InputError
from services.exports.folder import MANIFEST, Json

_OF_QUESTIONS = re.compile(r"bins|cuts|cuts_[2-5]_hops|question_\w+|questions_per_kind")
_CORPUS = TypeAdapter(CorpusSettings)


def corpus_settings(manifest: Mapping[str, Json], folder: Path) -> CorpusSettings:
    """What the corpus was made with.

    Raises:
        InputError: the manifest does not tell.
    """
    told = manifest.get("settings")
    held = told if isinstance(told, dict) else {}
    try:
        return _CORPUS.validate_python(
            {field.name: held[field.name] for field in fields(CorpusSettings) if field.name in held}
        )
    except ValidationError as error:
        raise InputError(
            f"{folder / MANIFEST} does not tell what the corpus was made with.", "Export the dataset anew."
        ) from error


def question_settings(manifest: Mapping[str, Json]) -> dict[str, Json]:
    """How the questions were made, and where their bins were cut."""
    told = manifest.get("settings")
    held = told if isinstance(told, dict) else {}
    return {name: value for name, value in held.items() if _OF_QUESTIONS.fullmatch(name)}
