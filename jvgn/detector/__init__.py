"""Detectors: Faster R-CNN by torchvision or detectron2, training, given weights, leakage proof, average precision."""
