"""known_work.py DIR: processes whose calls are known, for interop.py to record; prints what they do, as JSON.

Every child has a name (comm) of its own and makes its calls on files in DIR; what is stated is
[comm, syscall, calls, errors, bytes] of these. The interpreter's own calls are on other files.
"""

import json
import os
import sys
import time

PAGE = 4096
DATA_PAGES = 16

stated = []


def child(comm, work, *counts):
    """Runs `work` in a process called `comm`, which makes these calls: (syscall, calls, errors, bytes)."""
    stated.extend([comm, *count] for count in counts)
    pid = os.fork()
    if pid == 0:
        try:
            with open("/proc/self/comm", "w") as own:
                own.write(comm)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        sys.exit(f"{comm}: status {status}")


def create(path):
    return os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)


def main():
    directory = sys.argv[1]
    file = lambda name: os.path.join(directory, name)
    with open(file("data"), "wb") as data:
        data.write(b"d" * PAGE * DATA_PAGES)

    sizes = [1 + number % 50 for number in range(1000)]

    def small_writes():
        fd = create(file("small"))
        for size in sizes:
            os.write(fd, b"s" * size)

    def repeated_reads():
        fd = os.open(file("data"), os.O_RDONLY)
        for number in range(400):
            os.pread(fd, PAGE, number * 37 % DATA_PAGES * PAGE)

    def reads_in_order():
        fd = os.open(file("data"), os.O_RDONLY)
        while os.read(fd, 3 * PAGE):
            pass

    def syncs():
        fd = create(file("log"))
        for _ in range(50):
            os.write(fd, b"l" * 100)
            os.fsync(fd)

    def failed_opens():
        for number in range(300):
            try:
                os.open(file(f"missing-{number % 3}"), os.O_RDONLY)
            except FileNotFoundError:
                continue
            sys.exit("it is there")

    def pauses():
        fd = create(file("seldom"))
        for _ in range(5):
            time.sleep(0.12)  # longer than a tenth of a second, in which parts of a recording may begin
            os.write(fd, b"p")

    def renames():
        os.close(create(file("name-0")))
        for number in range(20):
            os.rename(file(f"name-{number}"), file(f"name-{number + 1}"))

    data = PAGE * DATA_PAGES
    child("small-writes", small_writes, ("openat", 1, 0, 0), ("write", 1000, 0, sum(sizes)))
    child("reads-again", repeated_reads, ("openat", 1, 0, 0), ("pread64", 400, 0, 400 * PAGE))
    child("reads-in-order", reads_in_order, ("openat", 1, 0, 0), ("read", 7, 0, data))
    child("syncs", syncs, ("openat", 1, 0, 0), ("write", 50, 0, 5000), ("fsync", 50, 0, 0))
    child("failed-opens", failed_opens, ("openat", 300, 300, 0))
    child("pauses", pauses, ("openat", 1, 0, 0), ("write", 5, 0, 5))
    child("renames", renames, ("openat", 1, 0, 0))
    print(json.dumps(stated))


main()
