"""Names in tables: they are told by the head of their column."""

import pytest

from rocmdoctor.share.redact import Redactor

TABLES = {
    "top": ("    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   4242 janedoe+  20   0   51.2g  12.1g   1.1g S 100.0   9.6  12:34.56 python3", "janedoe"),
    "lsof": ("COMMAND    PID    USER  FD   TYPE DEVICE SIZE/OFF NODE NAME\npython3  4242 janedoe mem    CHR 226,128          473 /dev/dri/renderD128", "janedoe"),
    "fuser": ("                     USER        PID ACCESS COMMAND\n/dev/kfd:            janedoe    4242 F...m python3", "janedoe"),
    "squeue": ("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 17 gpu train janedoe R 1:00 1 mi300-node07", "janedoe|mi300-node07"),
    "kubectl": ("NAME        STATUS   ROLES    AGE   VERSION\nvorlon      Ready    worker   12d   v1.30\nminbari     Ready    worker   12d   v1.30", "vorlon|minbari"),
    "kubectl pods": ("NAME   READY   STATUS    RESTARTS   AGE   IP            NODE      NOMINATED NODE\nvllm   1/1     Running   0          1d    10.42.1.17    vorlon    <none>", "vorlon"),
    "loginctl": ("SESSION  UID USER    SEAT  TTY\n      2 1000 janedoe seat0 tty2", "janedoe"),
    "behind bars": ("| GPU | PID | USER | MEM |\n| 0 | 4242 | janedoe | 12G |", "janedoe"),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_stands_below_its_head_goes_and_the_rest_stays(name):
    table, values = TABLES[name]
    redactor = Redactor()
    redactor.learn(table)
    shown = redactor.text(table)
    assert not [value for value in values.split("|") if value in shown], shown
    assert shown.split("\n")[0] == table.split("\n")[0] and len(shown.split()) == len(table.split())


@pytest.mark.parametrize("text", [
    "GPU  NODE  DID     GUID   TEMP\n0    1     0x744c  27281  41.0\n1    2     0x1586  1132   39.0",
    "OWNER  PERMISSION  GROUP\nroot   crw-rw----  render",
    "PID USER COMMAND\n\nring gfx_0.0.0 timeout",
    "ID  NAME  HOST  DEVICE\n0   hip   host  gfx1100",
])
def test_a_table_of_evidence_stays(text):
    redactor = Redactor()
    redactor.learn(text)
    assert redactor.text(text) == text


@pytest.mark.parametrize("text", ["It hangs since the update.\n\nThanks,\nJane Doe", "See the log.\nBest,\nJane Doe\n\n--\nsent by mail", "Thanks in advance!\n\nJane\n"])
def test_a_name_below_a_greeting_goes(text):
    redactor = Redactor()
    redactor.learn(text)
    assert "Jane" not in redactor.text(text)


@pytest.mark.parametrize("text", ["Thanks,\nUbuntu 24.04, ROCm 6.4", "Thanks!\nLogs:\nring timeout", "I am Using Windows here", "I'm Running ROCm now"])
def test_no_name_below_it_and_nothing_goes(text):
    redactor = Redactor()
    redactor.learn(text)
    assert redactor.text(text) == text
