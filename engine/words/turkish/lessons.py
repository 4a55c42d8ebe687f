"""As `engine.words.lessons`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "lesson.unknown": Wording("“{name}” diye bir ders yok.", "Dersler: {names}."),
    "count.finished": Wording("Hedefler sayıldı.", ""),
    "lesson.under-way": Wording("{lesson} dersi sürüyor.", "Bitmesini bekleyin ya da önce durdurun."),
}
