import threading

begun, go, done = threading.Event(), threading.Event(), threading.Event()


def work():
    begun.set()
    go.wait()
    step()
    done.set()


def step():
    return 1


def before():
    threading.Thread(target=work, name="worker", daemon=True).start()
    begun.wait()


def main():
    go.set()
    done.wait()
    threading.Event().wait(0.05)
