def twice(function):
    def wrapper(n):
        return 2 * function(n)
    return wrapper


def main():
    @twice
    def one(n):
        return n
    return one(3)
