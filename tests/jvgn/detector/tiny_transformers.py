"""Small models of transformers, built from configurations with random weights and saved as their folders."""

import json
from pathlib import Path

import torch
from transformers import (
    BertConfig,
    BertTokenizer,
    CLIPTokenizer,
    DetrConfig,
    DetrForObjectDetection,
    DetrImageProcessor,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    GroundingDinoProcessor,
    Owlv2Config,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessor,
    Owlv2Processor,
    ResNetConfig,
    RTDetrConfig,
    RTDetrForObjectDetection,
    RTDetrImageProcessor,
    RTDetrResNetConfig,
    SwinConfig,
)

NAMES = {0: "person", 1: "sofa", 2: "dog"}
LABELS = {"id2label": NAMES, "label2id": {name: label for label, name in NAMES.items()}}
SMALL = {"shortest_edge": 64, "longest_edge": 96}
WORDS = ["a", "dog", "red", "sofa", "person", "zebra", "the", "left", "man", "in", "shirt"]


def save_detr(folder: Path) -> Path:
    backbone = ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", out_features=["stage1", "stage2"]
    )
    config = DetrConfig(
        backbone_config=backbone,
        d_model=16,
        num_queries=12,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        **LABELS,
    )
    DetrForObjectDetection(config).save_pretrained(folder)
    DetrImageProcessor(size=SMALL).save_pretrained(folder)
    return folder


def save_rt_detr(folder: Path) -> Path:
    backbone = RTDetrResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 16, 16],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    config = RTDetrConfig(
        backbone_config=backbone,
        encoder_hidden_dim=16,
        encoder_in_channels=[16, 16, 16],
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        d_model=16,
        num_queries=12,
        decoder_in_channels=[16, 16, 16],
        decoder_ffn_dim=16,
        decoder_layers=1,
        decoder_attention_heads=2,
        num_denoising=0,
        **LABELS,
    )
    RTDetrForObjectDetection(config).save_pretrained(folder)
    RTDetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    return folder


def save_grounding_dino(folder: Path) -> Path:
    folder.mkdir()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "."]
    # The model knows the ids of the special tokens and of the full stop by heart.
    words = [f"unused{number}" for number in range(1100)]
    for word, place in zip(special, (0, 100, 101, 102, 103, 1012), strict=True):
        words[place] = word
    words[2 : 2 + len(WORDS)] = WORDS
    (folder / "vocab.txt").write_text("\n".join(words))
    tokenizer = BertTokenizer(str(folder / "vocab.txt"))
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 1, 1], num_heads=[1, 1, 1], out_features=["stage2", "stage3"]
        ),
        text_config=BertConfig(
            vocab_size=1100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
        ),
        d_model=32,
        num_queries=12,
        num_feature_levels=2,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_text_len=64,
    )
    GroundingDinoForObjectDetection(config).save_pretrained(folder)
    GroundingDinoProcessor(GroundingDinoImageProcessor(size=SMALL), tokenizer).save_pretrained(folder)
    return folder


def save_owlv2(folder: Path) -> Path:
    folder.mkdir()
    letters = sorted(set("".join(WORDS)))
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({token: place for place, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=16)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = Owlv2Config(
        text_config={
            **sizes,
            "vocab_size": len(tokens),
            "max_position_embeddings": 16,
            "eos_token_id": len(tokens) - 1,
        },
        vision_config={**sizes, "image_size": 64, "patch_size": 16},
        projection_dim=16,
    )
    Owlv2ForObjectDetection(config).save_pretrained(folder)
    Owlv2Processor(Owlv2ImageProcessor(size={"height": 64, "width": 64}), tokenizer).save_pretrained(folder)
    return folder


CLOSED = {"detr": save_detr, "rt_detr": save_rt_detr}
OPEN = {"grounding_dino": save_grounding_dino, "owlv2": save_owlv2}


def saved(kind: str, parent: Path) -> Path:
    torch.manual_seed(0)
    return (CLOSED | OPEN)[kind](parent / kind)
