"""NumPy's batched pseudoinverse as `sarrus bench pinv` asks for it; started by that command, not by people.

Commands on standard input, one a line:

    load COUNT SIDE RCOND    followed by COUNT x SIDE x SIDE doubles; answers "ok"
    time SECONDS PARTS       pinv of the whole batch for about SECONDS, split over PARTS threads; answers matrices a second
    result N                 answers with the first N doubles of the last pseudoinverses, raw
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def pinv_all(a: np.ndarray, rcond: float, n_parts: int, pool: ThreadPoolExecutor) -> list[np.ndarray]:
    """One call, or one a thread on equal parts: NumPy lets go of the interpreter's lock inside."""
    if n_parts == 1:
        return [np.linalg.pinv(a, rcond)]
    return list(pool.map(lambda part: np.linalg.pinv(part, rcond), np.array_split(a, n_parts)))


def main() -> None:
    a, x, rcond = np.zeros((0, 1, 1)), [], 0.0
    answer, commands = sys.stdout.buffer, sys.stdin.buffer
    pool = ThreadPoolExecutor()
    answer.write(f"{np.__version__}\n".encode())
    answer.flush()
    for line in commands:
        command, *values = line.decode().split()
        if command == "load":
            count, side, rcond = int(values[0]), int(values[1]), float(values[2])
            a = np.frombuffer(commands.read(8 * count * side * side)).reshape(count, side, side).copy()
            answer.write(b"ok\n")
        elif command == "time":
            seconds, n_parts = float(values[0]), int(values[1])
            n_done, start, now = 0, time.perf_counter(), 0.0
            while n_done == 0 or now < seconds:
                x = pinv_all(a, rcond, n_parts, pool)
                n_done += len(a)
                now = time.perf_counter() - start
            answer.write(f"{n_done / now!r}\n".encode())
        elif command == "result":
            answer.write(np.concatenate(x).ravel()[: int(values[0])].tobytes())
        answer.flush()


if __name__ == "__main__":
    main()
