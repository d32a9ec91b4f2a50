"""A training shows how far it is, to people and to TensorBoard."""

import logging
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from jvgn.training.log import TrainingLog

EPOCH = {"epoch": 2, "loss": 0.5, "val_accuracy": 81.25, "val_loss": 0.75, "train_accuracy": 90.0}
EPOCH |= {"gradient_norm": 1.5, "learning_rate": 1e-3, "seconds": 2.0}


def test_the_bar_and_the_log_show_loss_accuracy_speed_and_time_left(caplog, capsys, monkeypatch):
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    log = TrainingLog(total=400, done=100)
    log.step(1, expressions=100, loss=0.75, learning_rate=1e-3)
    log.epoch(2, EPOCH, expressions=200)
    log.bar.refresh()
    log.close()
    shown = capsys.readouterr().err
    assert "200/400" in shown and "loss=0.7500" in shown and "val=81.25" in shown
    assert "epoch 2: loss 0.5000 (val 0.7500), accuracy 90.00 (val 81.25), gradient 1.5, " in caplog.text
    assert "100 expressions/s, 0:00:02 left" in caplog.text


def test_tensorboard_has_every_step(tmp_path):
    log = TrainingLog(total=20, tensorboard=tmp_path)
    for number in (1, 2):
        log.step(number, expressions=10, loss=1 / number, learning_rate=1e-3)
    log.epoch(1, EPOCH, expressions=20)
    log.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("train/loss")] == [(1, 1.0), (2, 0.5)]
    assert [event.value for event in events.Scalars("epoch/val_accuracy")] == [81.25]


def test_training_goes_on_without_tensorboard_and_says_so(tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    log = TrainingLog(total=10, tensorboard=tmp_path / "logs")
    log.step(1, expressions=10, loss=1.0, learning_rate=1e-3)
    log.close()
    assert "TensorBoard is not installed" in caplog.text and not (tmp_path / "logs").exists()


def test_only_the_first_process_speaks(tmp_path, caplog, capsys):
    caplog.set_level(logging.INFO)
    log = TrainingLog(total=10, tensorboard=tmp_path / "logs", silent=True)
    log.step(1, expressions=10, loss=1.0, learning_rate=1e-3)
    log.epoch(1, EPOCH, expressions=10)
    log.close()
    assert not caplog.text and not capsys.readouterr().err and not (tmp_path / "logs").exists()
