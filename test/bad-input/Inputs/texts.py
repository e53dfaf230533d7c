"""texts.py SOURCE FOLDER: the source with CRLF line ends, with a byte order mark, without a last newline, with #line
directives, and with three megabytes of comment before it."""
import os
import sys

text = open(sys.argv[1], "rb").read()
head, annotation = text.split(b"KERNEL_OPTIMIZE", 1)
kernel = b"KERNEL_OPTIMIZE" + annotation
after = b"__global__ void after() { int unused; }\n"
texts = {
    "crlf": text.replace(b"\n", b"\r\n"),
    "bom": b"\xef\xbb\xbf" + text,
    "no-newline": text.rstrip(b"\n"),
    "line": head + b'#line 500 "grammar.y"\n' + kernel + after,
    "huge": b"// a long comment\n" * 180000 + text,
}
for name, content in texts.items():
    with open(os.path.join(sys.argv[2], name + ".cu"), "wb") as file:
        file.write(content)
