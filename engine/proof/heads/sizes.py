"""How large each field of a tiny model is, by patterns of its name; the first that fits decides."""

from __future__ import annotations

import re

VOCABULARY = 128
POSITIONS = 64
WIDTH = 64
LAYERS = 2

SPECIAL_IDS = {
    "pad": 0,
    "bos": 1,
    "eos": 2,
    "decoder_start": 3,
    "cls": 4,
    "sep": 5,
    "mask": 6,
    "unk": 7,
}
"""Ids that mean something to a model by its name; others take the next ones up to `FIRST_WORD`."""

FIRST_WORD = 40
"""Ids from here on are the rows' words; no special id reaches it."""

SPECIAL = re.compile(r"_token_id$|_token_index$|_pad_id$|^(pad|unk|mask|eos|bos|sep|cls)_index$")

LAYER_COUNT = re.compile(
    r"^(num_hidden_layers|num_layers|n_layers?|(num_)?(en|de)coder_layers|depth|num_layers_per_stack|num_blocks"
    r"|n_(input|output|recurrent)_layers|\w+_(en|de)coder_layers|conf_num_hidden_layers|num_global_layers"
    r"|num_hidden_groups|num_self_attends_per_block)$"
)

INDEX_LIST = re.compile(r"(layers|idxs|indexes|indices|layer_ids)$")
"""Fields that name layers by their numbers."""

KEPT = re.compile(
    r"type_vocab_size|_rate$|sampling|_token_ids?$|tokenizer_chunk|chunk_(left|right|length)"
    r"|relative_attention_num_buckets|pattern$|layer_id|_cls_|period|interval|_step$"
)
"""Fields whose default is small already, or that have to fit others which no pattern knows."""

SIZES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(pattern), size)
    for pattern, size in (
        (r"^qk_head_dim$", 32),
        (r"vocab_size|byte_group_vocab", VOCABULARY),
        (r"codebook_size|num_embeddings", 32),
        # heads: those of keys and values first
        (r"(index_n_heads|linear_num_key_heads|(^|_)(kv|key_value)_(n_)?heads|kv_n_heads|num_key_value_heads)$", 2),
        (r"^num_query_groups$", 2),
        (r"(^|_)(n|num)_heads?$|attention_heads$|_value_heads$", 4),
        (r"head_dim$|headdim$|d_head$|^d_kv$|^dim_head$|^kv_channels$|head_size$", 16),
        (r"rank$|^cross_attn_k$", 16),
        (r"intermediate_size|ffn_dim|^d_ff$|^dff$|^dim_ff$|ffn_hidden|feed_forward|^mlp_dim$|_mid_dim$", WIDTH),
        # experts, and how many of them a token takes
        (r"experts?$|expert_num$", 4),
        (r"^expert_capacity$", 4),
        (r"per_tok(en)?$|top_?k$|^moe_k$|top_k_experts", 2),
        (r"^n_group$|num_expert_group", 2),
        (r"^topk_group$|^first_k_dense_replace$|^num_dense_layers$", 1),
        (r"^rotary_dim$|^coordinate_size$", 8),
        (r"^shape_size$", 16),
        (r"n_groups$|ngroups$", 2),
        (
            r"positions?_embeddings$|_positions$|max_position|^n_ctx$|max_seq_len|model_max_length|context_length",
            POSITIONS,
        ),
        # windows are shorter than a row, so that they cut something off
        (r"window|chunk|block_size|local_radius|^local_attention$|index_topk|block_length", 8),
        (r"state_size|d_state$", 8),
        (r"image_size|^input_size$|crop_size", 32),
        (r"hidden_size|hidden_dim|d_model|n_embd|emb_dim|embed_dim|embedding_(dim|size)|^dim$|_dim$|^d_inner$", WIDTH),
        (r"lru_width|_channels?$|width$|emb_size$|proj_size|prediction_head_size", WIDTH),
        (r"hash_buckets|rel_extent", 16),
    )
)


def size_of(name: str, default: int) -> int:
    """The size of the field `name` in a tiny model, never above its default."""
    if KEPT.search(name):
        return default
    return next((min(default, size) for pattern, size in SIZES if pattern.search(name)), default)
