"""As `engine.words.history`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "history.no-sort": Wording("Çalışmalar “{sort}” değerine göre sıralanamaz.", "Şunlardan birini seçin: {known}."),
    "history.long-title": Wording("Bir çalışmanın adı en çok {most} karakterdir.", "Gerisini notlara yazın."),
    "history.long-notes": Wording("Notlar en çok {most} karakterdir.", "Daha kısa yazın."),
    "history.long-tag": Wording("Bir etiket en çok {most} karakterdir.", "Etiketlerin arasına virgül koyun."),
    "history.many-tags": Wording("Bir çalışmanın en çok {most} etiketi olur.", "Birkaçını çıkarın."),
    "history.under-way": Wording("Çalışma {run} hâlâ sürüyor.", "Önce durdurun ya da seçimden çıkarın."),
    "history.not-in-bin": Wording(
        "Çalışma {run} çöp kutusunda değil.", "Önce silin: kalıcı olarak yalnız çöp kutusundan silinir."
    ),
    "history.not-removed": Wording(
        "{path} klasörü kaldırılamıyor: {reason}.", "Çalışmanın anlattıkları silindi; klasörü elle kaldırın."
    ),
}
