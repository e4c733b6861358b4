import threading


def work():
    a = 1
    return a


def main():
    t = threading.Thread(target=work, name="worker")
    t.start()
    t.join()
