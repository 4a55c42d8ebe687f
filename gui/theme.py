"""Colours, type and spacing of the Gradio parts; `assets/page.css` carries the same for ours."""

from __future__ import annotations

import gradio as gr

TEXT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "Helvetica Neue", "Arial", "sans-serif")
MONO = ("ui-monospace", "SF Mono", "Cascadia Mono", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")

ACCENT = gr.themes.Color(
    name="birikim",
    c50="#eef6fb",
    c100="#d8ebf6",
    c200="#b3d7ed",
    c300="#82bde0",
    c400="#4aa0d0",
    c500="#1583be",
    c600="#0072b2",
    c700="#005c90",
    c800="#064b73",
    c900="#0b3e5e",
    c950="#08283e",
)


def theme() -> gr.themes.Base:
    """System fonts alone: a font by name would be fetched from the network."""
    base = gr.themes.Base(
        primary_hue=ACCENT,
        secondary_hue=ACCENT,
        neutral_hue=gr.themes.colors.slate,
        font=TEXT,
        font_mono=MONO,
        text_size=gr.themes.sizes.text_lg,
        spacing_size=gr.themes.sizes.spacing_md,
        radius_size=gr.themes.sizes.radius_sm,
    )
    return base.set(
        # In figures: the page takes these before any style sheet is there.
        body_background_fill="#ffffff",
        body_background_fill_dark="#12171d",
        body_text_color="#17202a",
        body_text_color_dark="#e8edf2",
        body_text_color_subdued="var(--ink-soft)",
        body_text_color_subdued_dark="var(--ink-soft)",
        background_fill_primary="var(--paper)",
        background_fill_primary_dark="var(--paper)",
        background_fill_secondary="var(--paper-soft)",
        background_fill_secondary_dark="var(--paper-soft)",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_border_width_dark="0px",
        block_shadow="none",
        block_shadow_dark="none",
        block_padding="0px",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_title_text_color="var(--ink)",
        block_title_text_color_dark="var(--ink)",
        block_title_text_weight="500",
        block_info_text_color="var(--ink-soft)",
        block_info_text_color_dark="var(--ink-soft)",
        border_color_primary="var(--line)",
        border_color_primary_dark="var(--line)",
        input_background_fill="var(--field)",
        input_background_fill_dark="var(--field)",
        input_border_color="var(--edge)",
        input_border_color_dark="var(--edge)",
        checkbox_border_color="var(--edge)",
        checkbox_border_color_dark="var(--edge)",
        input_border_width="1px",
        input_border_width_dark="1px",
        input_border_color_focus="var(--training)",
        input_border_color_focus_dark="var(--training)",
        input_shadow="none",
        input_shadow_dark="none",
        checkbox_label_background_fill="transparent",
        checkbox_label_background_fill_dark="transparent",
        checkbox_label_background_fill_hover="var(--paper-soft)",
        checkbox_label_background_fill_hover_dark="var(--paper-soft)",
        checkbox_label_background_fill_selected="var(--paper-soft)",
        checkbox_label_background_fill_selected_dark="var(--paper-soft)",
        button_primary_background_fill="#0072b2",
        button_primary_background_fill_dark="#0072b2",
        button_primary_background_fill_hover="#005c90",
        button_primary_background_fill_hover_dark="#1583be",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        button_large_text_weight="600",
        button_transition="none",
    )
