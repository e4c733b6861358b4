def main():
    for i in range(2): pass
    n = 2
    while n:
        n -= 1
