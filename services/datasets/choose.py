"""The formats that a dataset can be exported in, by their names."""

from collections.abc import Mapping

from kg.errors import SettingsError
from services.datasets.dataset_format import DatasetFormat
from services.datasets.formats.beir import BEIR
from services.datasets.formats.hopgrade import HOPGRADE
from services.datasets.formats.multihop_rag import MULTIHOP_RAG
from services.datasets.formats.musique import MUSIQUE
from services.datasets.formats.parquet import HUGGINGFACE, RAGAS
from services.datasets.formats.plain import CSV, GRADE
from services.datasets.formats.squad import SQUAD
from services.datasets.formats.tracer import TRACER
from services.datasets.formats.wikipedia import HOTPOTQA, TWO_WIKI

FORMATS: Mapping[str, DatasetFormat] = {
    one.name: one
    for one in (
        HOPGRADE,
        GRADE,
        MULTIHOP_RAG,
        HOTPOTQA,
        TWO_WIKI,
        MUSIQUE,
        TRACER,
        BEIR,
        SQUAD,
        RAGAS,
        HUGGINGFACE,
        CSV,
    )
}


def choose_format(name: str) -> DatasetFormat:
    """The format of this name.

    Raises:
        SettingsError: there is none.
    """
    found = FORMATS.get(name)
    if found is None:
        raise SettingsError(f"{name!r} is not a format of datasets.", f"Use one of: {', '.join(FORMATS)}.")
    return found
