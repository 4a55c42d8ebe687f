"""No wording stands outside the tables, in Python or JavaScript; and in Turkish each thing has one word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import LESSON_WORDS, TURKISH
from engine.export.report.words import TURKISH as REPORT
from gui.text import TABLES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [file for file in sorted(ROOT.glob("gui/**/*.py")) if "text" not in file.parts and file.name != "launch.py"]
SCRIPTS = sorted(ROOT.glob("assets/*.js"))

SENTENCE = re.compile(
    r"[^\W\d_]{2,}[,.;:!?…]? [a-zçğıöşü][^\W\d_]+(?=[\s,.;:!?…]|$)|^[A-ZÇĞİÖŞÜ][a-zçğıöşü]+[.!?…]?$|[çğıöşüÇĞİÖŞÜ]"
)
"""Two words in a row, one word with a capital, or a Turkish letter: what a person would read."""
SHOWN = ("label", "info", "placeholder", "title", "value")
"""Arguments of a Gradio component that are read."""

# ---- Python ----


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The texts of a module that are neither a docstring nor a line for the log."""
    aside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "log"
        ):
            aside |= {id(each) for each in ast.walk(node)}
    yield from (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside
    )


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_text_stands_in_the_python_of_the_page(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    fonts = file.name == "theme.py"
    for node in strings(tree):
        code = node.value.lstrip().startswith(("<", "(", "mount(", "async", "import("))
        assert fonts or code or not SENTENCE.search(node.value), f"line {node.lineno}: {node.value}"
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("gr."):
            for given in call.keywords:
                literal = isinstance(given.value, ast.Constant) and isinstance(given.value.value, str)
                assert given.arg not in SHOWN or not literal, f"line {call.lineno}: {ast.unparse(given)}"


# ---- JavaScript ----

LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?<=[=(,:\s])/(?![/*\s])(?:[^/\\\n]|\\.)+/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""",
    re.S,
)
"""Comments and regular expressions, which hold no text, and texts."""
KEYS = {"Enter", "Escape", "Tab", "Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Infinity"}
UNITS = {"GiB", "MiB", "KiB"}
TAGS = {"input", "textarea", "button", "select"}
CLASS = re.compile(r"\bclass: [^,]*$")
NAMES = re.compile(r"[.#]([a-zA-Z][\w-]*)")
READ = re.compile(
    r"""(?:setText\([^,()]+|textContent =|\b(?:title|placeholder|alt|"aria-[a-z]+"):|\}),? ["`]([a-z]{3,}[^"`$]*)["`]"""
)
"""Where a literal is read whatever it looks like: as text, as a label, or as the child of an element."""
ATTRIBUTES = ("true", "false", "polite", "status", "alert")


def styled() -> set[str]:
    """The classes and ids of the style sheets."""
    return {name for file in ROOT.glob("assets/*.css") for name in NAMES.findall(file.read_text(encoding="utf-8"))}


PLOTLY_S = re.compile(r': "plot\.')
"""What follows a word of Plotly's own, that a text of the table takes the place of."""


def is_code(text: str, classes: set[str]) -> bool:
    """A selector, a style, classes, a media query, a key of the keyboard."""
    if text in KEYS | UNITS or re.match(r"[(.#\[]|--|[a-z-]+: ", text):
        return True
    return all(word in classes | TAGS for word in re.split(r"[ ,]+", text.strip()))


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_text_stands_in_a_script(file: Path) -> None:
    classes = styled()
    source = file.read_text(encoding="utf-8")
    for found in LITERAL.finditer(source):
        text = re.sub(r"\$\{[^}]*\}", "", next((part for part in found.groups() if part is not None), ""))
        of_class = CLASS.search(source[: found.start()].rpartition("\n")[2])
        looked_up = PLOTLY_S.match(source, found.end())
        read = SENTENCE.search(text) and not (of_class or looked_up or is_code(text, classes))
        assert not read, f"{file.name}: {found[0]}"
    code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
    for text in READ.findall(code):
        assert text in ATTRIBUTES, f"{file.name}: {text}"


@pytest.mark.parametrize(
    "text", ["Nothing here yet", "no run yet.", "Start", "Çalışma", "sırada bekliyor", "yes, go on"]
)
def test_what_a_person_would_read_is_noticed(text: str) -> None:
    assert SENTENCE.search(text)
    assert not is_code(text, styled())
    assert LITERAL.search(f'h("p", {{}}, "{text}")'.replace('"p"', "p"))


@pytest.mark.parametrize("code", ['h("p", {}, "waiting")', 'setText(line, "done")', 'h("a", { title: "open" })'])
def test_a_single_word_is_noticed_where_it_is_read(code: str) -> None:
    assert set(READ.findall(code)) - set(ATTRIBUTES)


# ---- one word for one thing ----

ONE_WORD = {
    r"mikro-parti|mini-?parti|mikro yığın|mikro batch": "mikro parti",
    r"etkin parti|efektif": "etkili parti",
    r"\byığın(?!ı \(heap)": "parti",
    r"\bsimge|belirteç|sözcük parçası": "token",
    r"\bkoşu(?!l)|\bkoşum": "çalışma",
    r"\baygıt": "cihaz",
    r"duyarlı[kğ]": "hassasiyet",
    r"nicem": "kuantize",
    r"uyarlayıcı|bağdaştırıcı": "adaptör",
    r"(olağan|stok|standart) Trainer": "hazır Trainer",
    r"öğrenme oran": "öğrenme hızı",
    r"denetim nokta": "kontrol noktası",
    r"\bkafa(?!dan)": "başlık",
    r"\bgradyent|\beğim birik": "gradyan",
    r"optimizör|optimize edici": "eniyileyici",
}
"""How others say it, and the word of this page: that of the Hugging Face documentation where it has one."""


def turkish() -> Iterator[tuple[str, str]]:
    yield from TABLES["tr"].items()
    yield from LESSON_WORDS["tr"].items()
    yield from REPORT.items()
    yield from ((code, " ".join(words)) for code, words in TURKISH.wording.items())
    for file in (ROOT / "README.tr.md", *ROOT.glob("docs/*.tr.md")):
        yield (file.name, file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("other", ONE_WORD)
def test_one_thing_has_one_word_in_turkish(other: str) -> None:
    pattern = re.compile(other, re.IGNORECASE)
    said = {name: found[0] for name, text in turkish() if (found := pattern.search(text))}
    assert not said, f"say {ONE_WORD[other]}: {said}"
