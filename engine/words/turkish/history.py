"""As `engine.words.history`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "history.no-sort": Wording("Çalışmalar “{sort}” değerine göre sıralanamaz.", "Şunlardan birini seçin: {known}."),
    "history.long-title": Wording("Bir çalışmanın adı en çok {most} karakterdir.", "Gerisini notlara yazın."),
    "history.long-notes": Wording("Notlar en çok {most} karakterdir.", "Daha kısa yazın."),
    "history.long-tag": Wording("Bir etiket en çok {most} karakterdir.", "Etiketlerin arasına virgül koyun."),
    "history.many-tags": Wording("Bir çalışmanın en çok {most} etiketi olur.", "Birkaçını çıkarın."),
    "history.many-runs": Wording("Bir kerede en çok {most} çalışma alınır.", "Daha azını seçin."),
    "history.under-way": Wording("Çalışma {run} hâlâ sürüyor.", "Önce durdurun ya da seçimden çıkarın."),
    "history.not-in-bin": Wording(
        "Çalışma {run} çöp kutusunda değil.", "Önce silin: kalıcı olarak yalnız çöp kutusundan silinir."
    ),
    "history.not-removed": Wording(
        "{path} klasörü kaldırılamıyor: {reason}.", "Çalışmanın anlattıkları silindi; klasörü elle kaldırın."
    ),
    # ---- a run as a file ----
    "run.imported": Wording(
        "{file} dosyasından alındı; kendi evindeki numarası {run}. Böyle bir dosyada ağırlık ve kontrol noktası "
        "yoktur: çalışma burada sürdürülemez.",
        "",
    ),
    "run.import-unfinished": Wording(
        "Bu çalışmanın içe aktarılması tamamlanmadı.", "Kalıcı olarak silin ve dosyayı yeniden içe aktarın."
    ),
    "import.not-a-run": Wording(
        "{file}, Birikim'in dışa aktardığı bir çalışma değil.", "“Çalışma” düğmesiyle ya da --as run ile dışa aktarın."
    ),
    "import.newer": Wording(
        "{file} daha yeni bir Birikim tarafından yazıldı (biçim {found}, bunun bildiği {known}).",
        "Birikim'i güncelleyin.",
    ),
    "import.too-large": Wording(
        "{file} bir çalışmaya sığmayacak kadar çok şey içeriyor: {what}.",
        "Birikim'in dışa aktardığı bir dosyayı içe aktarın.",
    ),
    "import.wrong": Wording(
        "{file} bozuk ya da değiştirilmiş: {place} içinde oraya ait olmayan bir şey var.",
        "Çalışmayı yeniden dışa aktarın.",
    ),
    "import.settings": Wording(
        "{file} içindeki çalışmanın ayarlarını bu Birikim tanımıyor: {reason}", "Onu yapan Birikim'i kullanın."
    ),
    "import.unreadable": Wording("{file} okunamıyor: {reason}.", "Yolu denetleyin."),
}
