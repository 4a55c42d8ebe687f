"""The words of the link to a page, of a page without controls, and of its charts in words,
a part of `gui.text.turkish`."""

from __future__ import annotations

ACCESS: dict[str, str] = {
    "link.copy": "Bağlantıyı kopyala",
    "link.done": "Kopyalandı",
    "link.title": "Bu sekmeyi, çalışmayı, grafikleri ve ayarları açan bir bağlantı kopyalar",
    "link.text": "Bu sayfanın gösterdiğine giden bağlantı",
    "link.copied": "Bağlantı kopyalandı.",
    "link.by-hand": "Bu sayfa kendisi kopyalayamıyor: seçili bağlantıyı kopyalayın.",
    "link.too-long": "Ayarlar bir bağlantı için fazla uzun; bağlantıda yer almıyor.",
    "link.taken": "Bu ayarlar bağlantıdan geldi. Hiçbir şey başlatılmadı.",
    "link.refused": "Bağlantıdaki ayarlar kabul edilmedi; form olduğu gibi duruyor.",
    "link.unreadable": "Bağlantıdaki ayarlar okunamıyor; form olduğu gibi duruyor.",
    "link.unreadable.remedy": "Bağlantının bir bölümü eksik olabilir: tümünü yeniden kopyalayın.",
    "controls.hide": "Denetimleri gizle",
    "controls.hide.title": "Projektör için yalnız çalışmayı ya da dersi gösterir",
    "controls.show": "Denetimleri göster",
    "controls.show.title": "Formu ve düğmeleri geri getirir",
    "read.value": "{name}: {first} değerinden {last} değerine, {least} ile {most} arasında.",
    "read.one": "{name}: şimdilik tek noktada {last}.",
    "read.constant": "{name}: baştan sona {last}.",
    "plot.zoom": "Yakınlaştır",
    "plot.pan": "Kaydır",
    "plot.reset": "Grafiğin tümü",
    "plot.image": "Resim olarak indir",
    "plot.taking": "Resim hazırlanıyor.",
    "plot.taken": "Resim indirildi.",
    "skip.to-run": "Çalışmaya geç",
}
