"""The words of the Learn tab in Turkish: names and values as in `gui.text.english_lessons`."""

from __future__ import annotations

from engine import LESSON_WORDS
from gui.text.turkish_prose import PROSE

LESSONS: dict[str, str] = {
    "tab.learn": "Öğren",
    "learn.lessons": "Dersler",
    "learn.of": "Ders {number} / {of}",
    "learn.done": "bitti",
    # The question
    "learn.question": "Ne beklersiniz?",
    "learn.question.about": "Bir yanıt seçin. Doğrusunu deney gösterir.",
    "learn.yours": "sizin yanıtınız",
    "learn.right": "Doğru",
    "learn.wrong": "Öyle değil",
    "learn.anew": "Yeniden yanıtla",
    "learn.anew.title": "Sonuçları burada gizle ve bir daha seç",
    # The experiment
    "learn.experiment": "Deney",
    "learn.start": "Deneyi çalıştır",
    "learn.start.title": "Parçalarını birbiri ardına bu makinede çalıştır",
    "learn.again": "Bir daha çalıştır",
    "learn.stop.title": "Süren parçayı bitir, bekleyenleri bırak",
    "learn.why.looking": "Ölçülmüş olanlar aranıyor.",
    "learn.why.answer": "Önce bir yanıt seçin.",
    "learn.why.asked": "İstendi.",
    "learn.why.under-way": "Deney sürüyor.",
    "learn.why.idle": "Süren bir deney yok.",
    "learn.state.fresh": "Henüz çalıştırılmadı",
    "learn.state.working": "Sürüyor",
    "learn.state.done": "Bitti",
    "learn.state.failed": "Yarıda kaldı",
    "learn.ahead": "programın elindeki işi bekliyor",
    "learn.part": "parça {part} / {of}",
    "learn.use": "Eğitimde aç",
    "learn.use.title": "“{part}” ayarlarını Eğitim sekmesindeki forma yaz",
    # What was measured
    "learn.covered": "Bu daha önce ölçüldü. Bir yanıt seçin; ne çıktığını göreceksiniz.",
    "learn.chart": "Grafik",
    "learn.chart.empty": "Deneyin ölçtükleri geldikçe burada çizilir.",
    "learn.chart.read": "{name}: {points}.",
    "learn.chart.point": "{x} için {y}",
    "learn.figures": "Sayılarla",
    "learn.conclusion": "Ne çıktı",
    "learn.conclusion.empty": "Son parça bitince sonuç, ölçülen sayılardan çıkarılıp burada yazılır.",
    # The end
    "learn.reading": "İleri okuma",
    "learn.next": "Sıradaki: {title}",
    **PROSE,
    **LESSON_WORDS["tr"],
}
