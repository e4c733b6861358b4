def main():
    a = 1 + 2
    b = [a, 3][0] @ Matrix()
    return b


class Matrix:
    def __rmatmul__(self, other):
        return other
