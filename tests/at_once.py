"""Work in several threads that start together."""
import threading


def at_once(count, run):
    """Run `run(i)` in threads that start together; what each gave, or its error."""
    results, barrier = [None] * count, threading.Barrier(count)

    def body(i):
        barrier.wait()
        try:
            results[i] = run(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
