#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a capture file that a later release might have written.

usage: capedit.py version|wire|kinds|blocks FROM TO

version, wire: the file's, the records' version is one higher. kinds: "rename"
records are of a kind that nobody knows. blocks: between all blocks stands one of
a type that nobody knows.
"""
import struct
import sys

HEADER = struct.Struct("<8sIHHIIQ32s")
BLOCK = struct.Struct("<IHHIIQQII")
DATA = 2
RENAME, UNKNOWN_KIND, UNKNOWN_TYPE = 8, 60, 77


def make_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = make_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def block(fields, payload):
    """A block whose checksums are right."""
    fields = list(fields)
    fields[5] = len(payload)
    fields[7] = crc32c(payload)
    head = BLOCK.pack(*fields)
    fields[8] = crc32c(head[:-4])
    return BLOCK.pack(*fields) + payload + bytes(-len(payload) % 8)


def blocks(data):
    at = HEADER.size
    while at < len(data):
        fields = BLOCK.unpack_from(data, at)
        at += BLOCK.size
        yield fields, data[at:at + fields[5]]
        at += (fields[5] + 7) & ~7


def change_kinds(payload):
    payload = bytearray(payload)
    at = 0
    while at < len(payload):
        length, kind = struct.unpack_from("<HB", payload, at)
        if kind == RENAME:
            payload[at + 2] = UNKNOWN_KIND
        at += length * 8
    return bytes(payload)


def main(what, source, target):
    with open(source, "rb") as f:
        data = f.read()
    head = list(HEADER.unpack_from(data))
    assert head[0] == b"KTRCAP\r\n" and head[3] == HEADER.size, head
    head[2] += what == "version"
    head[4] += what == "wire"
    out = [HEADER.pack(*head)]
    for fields, payload in blocks(data):
        assert block(fields, payload)[:BLOCK.size] == BLOCK.pack(*fields), fields
        if what == "kinds" and fields[1] == DATA:
            payload = change_kinds(payload)
        out.append(block(fields, payload))
        if what == "blocks":
            fields = (fields[0], UNKNOWN_TYPE) + fields[2:]
            out.append(block(fields, b"what is this"))
    with open(target, "wb") as f:
        f.write(b"".join(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
