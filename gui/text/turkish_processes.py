"""The words of several processes, in Turkish: as `gui.text.english_processes`."""

from __future__ import annotations

PROCESSES: dict[str, str] = {
    "form.processes": "Cihaz (süreç)",
    "form.processes.info": "her pencereyi paylaşırlar",
    "form.accelerate-config": "accelerate config dosyası",
    "form.accelerate-config.info": "birden çok makine, FSDP",
    "processes.command": "Başlatan komut",
    "processes.title": "Süreçler: her birinin en yüksek belleği",
    "processes.rank": "Süreç",
    "processes.device": "Cihaz",
    "processes.peak": "En yüksek bellek",
}
