"""Texts as articles from the wild hold them: news sentences among emoji, RTL, NUL and endless words."""

from hypothesis import strategies as st

_BITS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "The council voted on Monday. ", "Dr. Ana Brel spoke in the U.S. ", '"Why?" he asked. ',
            ".” ", "1. ",            "\n", "\n\n", " ", "\u2028", "\x0b", "\x00", "\ud800",
            "\u200f", "e\u0301", "...", "!", "🙂",
            "👩🏽‍🚀 ",            "سلام عليكم. ","שלום ",
            "北京。", "한국어 ", "unbelievably ", "x" * 120, "x" * 90, "https://example.org/a?c=d ",
        ]
    ),
    st.integers(1, 60).map(lambda n: "word " * n),
    st.integers(1, 60).map(lambda n: "字" * n),
    st.integers(1, 40).map(lambda n: "A short sentence of eight words is here. " * n),
    st.text("abcdefgzqx", min_size=40, max_size=100),
)  # fmt: skip


def any_text() -> st.SearchStrategy[str]:
    """Bits of all kinds, in any order."""
    return st.lists(_BITS, max_size=12).map("".join)
