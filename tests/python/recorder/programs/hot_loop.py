def hot(n):
    total = 0
    for i in range(n):
        total += i
    return total


def calm():
    return 1


def main():
    hot(6_000_000)
    pause = threading.Event().wait
    pause(0.15)
    calm()


import threading
