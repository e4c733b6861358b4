def main():
    a = [n for n in (1, 2)]
    b = {n: n
         for n in (1,)}
    return a, b
