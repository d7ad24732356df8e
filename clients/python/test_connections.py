"""What both clients do with connections, against a server that closes them when it hurts."""

import asyncio
import os
import random
import socket
import threading
import time

from guanxi_client import AsyncClient, Client, GuanxiError

WHOLE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
PIECES = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nlast: 1\r\n\r\n"
TO_THE_END = b"HTTP/1.1 200 OK\r\n\r\n{}"


class Server:
    """Answers each request with what it was told to; it counts connections and requests."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections: list[socket.socket] = []
        self.requests = self.open = 0
        self.answer = WHOLE
        # Whether the next request is read and never answered.
        self.cut = False
        self.closes = False
        self.lock = threading.Lock()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            self.connections.append(connection)
            with self.lock:
                self.open += 1
            threading.Thread(target=self.hold, args=(connection,), daemon=True).start()

    def hold(self, connection: socket.socket) -> None:
        try:
            self.serve(connection)
        except OSError:
            pass  # The other side has gone.
        with self.lock:
            self.open -= 1

    def serve(self, connection: socket.socket) -> None:
        read = b""
        with connection:
            while True:
                while b"\r\n\r\n" not in read:
                    some = connection.recv(65536)
                    if not some:
                        return
                    read += some
                head, _, read = read.partition(b"\r\n\r\n")
                self.head = head.lower()
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                while len(read) < length:
                    read += connection.recv(65536)
                read = read[length:]
                with self.lock:
                    self.requests += 1
                    is_cut, self.cut = self.cut, False
                if is_cut:
                    return
                connection.sendall(self.answer)
                if self.closes or self.answer == TO_THE_END:
                    return

    def close_all(self) -> None:
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def wait_for(self, open_max: int) -> None:
        """Waits until no more connections are open."""
        end = time.monotonic() + 10
        while self.open > open_max:
            assert time.monotonic() < end, self.open
            time.sleep(0.001)

    def counted(self) -> tuple[int, int]:
        """How many connections and requests there were since it was asked last."""
        counts = len(self.connections), self.requests
        self.connections, self.requests = [], 0
        return counts


class Asyncio:
    """The client for asyncio in the form of the other one: each call runs in the one loop of a thread."""

    def __init__(self, url: str, **options) -> None:
        if "sleep" in options:
            slept = options["sleep"]

            async def sleep(seconds: float) -> None:
                slept(seconds)

            options["sleep"] = sleep
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = AsyncClient(url, **options)

    def __getattr__(self, name: str):
        method = getattr(self.client, name)
        return lambda *given: asyncio.run_coroutine_threadsafe(method(*given), self.loop).result(30)


def fails(call, request, code: str) -> None:
    try:
        call(request)
    except GuanxiError as error:
        assert error.code == code, error
        return
    raise AssertionError("it did not fail")


def at_once(call) -> None:
    """Calls from six threads, twenty times each."""
    threads = [threading.Thread(target=lambda: [call({}) for _ in range(20)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def connections(kind) -> None:
    server = Server()
    slept: list[float] = []
    client = kind(server.url, sleep=slept.append)
    read, once = client.get_counts, client.bind_email
    # One after the other, calls take one connection, however answers end.
    for server.answer in (WHOLE, PIECES):
        for _ in range(20):
            assert read({}) == {}
    assert server.counted() == (1, 40)
    # At once they take no more than there are callers, and all are kept.
    for _ in range(2):
        at_once(read)
    opened, requests = server.counted()
    assert opened <= 6 and requests == 240, (opened, requests)
    # What was closed while it was idle is not written to: also what may not be repeated is answered, at once.
    server.close_all()
    for call in (once, read):
        server.close_all()
        assert call({}) == {}
    client.close()
    server.wait_for(0)
    server.closes = True
    for _ in range(5):
        assert once({}) == {}
        server.wait_for(0)
    server.closes, server.answer = False, TO_THE_END
    assert once({}) == once({}) == {}
    server.answer = WHOLE
    assert read({}) == {} and not slept
    # What was closed just when it was written to is asked again, on a new connection, if that does nothing twice.
    server.counted()
    server.cut = True
    assert read({}) == {} and not slept
    assert server.counted() == (1, 2)
    server.cut = True
    fails(once, {}, "unavailable")
    assert server.counted() == (0, 1) and not slept
    # A new connection that is cut is a try like others.
    server.cut = True
    assert read({}) == {} and len(slept) == 1
    client.close()
    server.counted()
    read({})
    assert server.counted() == (1, 1)
    # The server knows how long we wait.
    assert b"\r\nconnect-timeout-ms: 5000\r\n" in server.head + b"\r\n", server.head
    client.close()
    # No more are kept than was said.
    few = kind(server.url, connections_kept=2)
    at_once(few.get_counts)
    server.wait_for(2)
    few.close()


def patience(kind) -> None:
    """A server that is away is waited for as long as was said, with pauses that grow, and no longer."""
    nobody = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    nobody.close()
    clock, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds

    client = kind(url, clock=lambda: clock[0], sleep=sleep, rand=random.Random(5))
    for call in (client.get_counts, client.follow):
        slept.clear()
        fails(call, {}, "unavailable")
        assert abs(sum(slept) - 15) < 1e-6 and 8 <= len(slept) <= 40, slept
        assert max(slept[:3]) <= 0.4 and max(slept) > 1, slept
    slept.clear()
    fails(client.bind_email, {}, "unavailable")
    assert not slept
    for wrong in ("127.0.0.1:7420", "localhost:7420", "", "http://", "ftp://x", "http://x:y", "http://x?y=1"):
        try:
            kind(wrong)
        except ValueError as error:
            assert "http://127.0.0.1:7420" in str(error), error
        else:
            raise AssertionError(wrong)


def forked(url: str) -> None:
    """A fork opens connections of its own."""
    client = Client(url)
    client.get_counts({})
    if (child := os.fork()) == 0:
        os._exit(0 if client.get_counts({}) == {} else 1)
    assert os.waitpid(child, 0)[1] == 0


for kind in (Client, Asyncio):
    connections(kind)
    patience(kind)
server = Server()
forked(server.url)
assert server.counted() == (2, 2)
print("all is well")
