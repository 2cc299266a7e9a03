"""Terminals for the checks of the workbench. All functions wait for an expected state, never for a time."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty

# No mouse daemon runs here; its library, which curses loads for TERM=linux, leaks memory.
os.environ["NCURSES_GPM_TERMS"] = "none"

sys.dont_write_bytecode = True
PATIENCE_S = 60


def check(condition, message):
    if not condition:
        sys.exit(message)


def state_folder():
    return os.path.join(os.environ["XDG_STATE_HOME"], "epsbench")


class Tmux:
    """A shell in a tmux server of its own: a terminal whose screen and modes can be read."""

    begun = 0

    def __init__(self, columns, rows):
        Tmux.begun += 1  # a server that ends may still hold the last one's socket
        self.socket = os.path.abspath(f"tmux.{Tmux.begun}")
        environment = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE", "COLUMNS", "LINES")}
        environment["TERM"] = "xterm-256color"
        command = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "exec env 'PS1=SHELL> ' bash --norc --noprofile"]
        with open("tmux.conf", "w", encoding="ascii") as file:
            file.write("set -g default-terminal tmux-256color\nset -g status off\nset -s escape-time 0\n")
        subprocess.run(["tmux", "-u", "-f", "tmux.conf", "-S", self.socket, *command], env=environment, check=True)
        self.expect("^SHELL>")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("kill-server", check=False)

    def call(self, *arguments, check=True):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
        )
        if check and done.returncode:
            sys.exit(f"tmux {arguments} fails: {done.stderr}")
        return done.stdout

    def screen(self):
        return self.call("capture-pane", "-p").rstrip("\n")

    def flag(self, name):
        return self.call("display-message", "-p", "#{" + name + "}").strip()

    def keys(self, *names):
        self.call("send-keys", *names)

    def type(self, text):
        self.call("send-keys", "-l", text)

    def line(self, text):
        self.type(text)
        self.keys("Enter")

    def click(self, x, y):
        """Sends what a terminal of tmux's kind reports for a click of the left button."""
        place = chr(33 + x) + chr(33 + y)
        self.type("\x1b[M " + place)
        self.type("\x1b[M#" + place)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while True:
            screen = self.screen()
            found = condition(screen)
            if found:
                return found
            if time.monotonic() > end:
                sys.exit(f"{screen}\nwaited in vain for {what}; the screen is above")
            select.select([], [], [], 0.02)

    def expect(self, pattern):
        """Waits until the pattern is on the screen; `$` is the end of a line."""
        return self.until(lambda screen: re.search(pattern, screen, re.MULTILINE), repr(pattern))

    def expect_not(self, pattern):
        self.until(lambda screen: not re.search(pattern, screen, re.MULTILINE), f"the end of {pattern!r}")

    def expect_shell(self):
        """Waits for the shell's prompt and checks that the terminal is restored: its screen, cursor, mouse and modes."""
        self.until(lambda screen: screen.rstrip().split("\n")[-1].startswith("SHELL>"), "the shell's prompt")
        for name, wanted in (("alternate_on", "0"), ("cursor_flag", "1"), ("mouse_any_flag", "0"), ("keypad_flag", "0")):
            self.until(lambda _, name=name, wanted=wanted: self.flag(name) == wanted, f"{name} = {wanted}")
        self.call("clear-history")
        self.keys("C-l")
        self.line("stty -a | tr ' ;' '\\n\\n' | grep -cxE 'icanon|echo|isig|icrnl|ixon|opost'")
        self.expect("^6$")


class Pty:
    """The program alone on a pseudo-terminal, its output as bytes."""

    def __init__(self, arguments, columns=100, rows=30, flow=True, **environment):
        """flow: Ctrl-S and Ctrl-Q stop and start the terminal's output; otherwise they are keys."""
        self.seen = self.everything = b""
        self.fd, slave = pty.openpty()
        if not flow:
            modes = termios.tcgetattr(slave)
            modes[0] &= ~termios.IXON
            termios.tcsetattr(slave, termios.TCSANOW, modes)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.name = os.ttyname(slave)
        self.before = self.modes()
        self.pid = os.fork()
        if self.pid == 0:
            for name in ("COLUMNS", "LINES", "NO_COLOR"):
                os.environ.pop(name, None)
            os.environ.update(environment)
            self.log_in(slave)
            os.close(self.fd)
            os.execv(os.environ["EPSBENCH"], [os.environ["EPSBENCH"], *arguments])
        self.slave = slave  # held open: the modes can be read when the program has ended

    @staticmethod
    def log_in(slave):
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        if slave > 2:
            os.close(slave)

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        self.seen += data
        self.everything += data
        return bool(data)

    def expect(self, pattern):
        """Waits until the pattern appears behind the last one; returns the seconds that took."""
        began = time.monotonic()
        while not (match := re.search(pattern, self.seen)):
            left = began + PATIENCE_S - time.monotonic()
            if left <= 0 or not self.read(left):
                tail = self.seen[-2000:]
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                sys.exit(f"waited in vain for {pattern!r}, found {tail!r}")
        self.seen = self.seen[match.end() :]
        return time.monotonic() - began

    def type(self, text):
        os.write(self.fd, text)

    def bytes_read(self):
        with open(f"/proc/{self.pid}/io", encoding="ascii") as file:
            return int(re.search(r"rchar: (\d+)", file.read())[1])

    def waits(self):
        """Waits until the program has read every typed key and sleeps."""
        left = struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, bytes(4)))[0]
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            return left == 0 and file.read().rpartition(")")[2].split()[0] == "S"

    def take(self, text):
        """Types, and waits until the program has read it. Ctrl-C drops typed text that was not yet read."""
        wanted = self.bytes_read() + len(text.rpartition(b"\x03")[2])  # the kernel brings keys a moment after they were typed
        self.type(text)
        until = time.monotonic() + PATIENCE_S
        while self.bytes_read() < wanted or not self.waits():
            self.read(0.001)
            if time.monotonic() > until:
                sys.exit(f"{text!r} is not read; the last bytes are {self.seen[-500:]!r}")
        while self.read(0):
            pass

    def modes(self):
        """The terminal's modes, which the program shares."""
        return termios.tcgetattr(self.fd)[:4]

    def end(self):
        """Reads until the program has ended. Returns the exit status, or minus the signal that ended the program."""
        until = time.monotonic() + PATIENCE_S
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            while self.read(0.02):
                pass
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                sys.exit(f"it does not end; the last bytes are {self.seen[-500:]!r}")

    def close(self):
        """Closes the terminal, as closing its window does."""
        os.close(self.slave)
        os.close(self.fd)

    def wait(self):
        until = time.monotonic() + PATIENCE_S
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                sys.exit("it does not end")
            select.select([], [], [], 0.01)


class Echo:
    """A program that only echoes keys: the delay that a busy machine adds by itself."""

    def __init__(self):
        self.fd, slave = pty.openpty()
        tty.setraw(slave)
        self.process = subprocess.Popen(["cat"], stdin=slave, stdout=slave)
        os.close(slave)
        self.answer_s()

    def answer_s(self):
        began = time.monotonic()
        os.write(self.fd, b"x")
        os.read(self.fd, 1)
        return time.monotonic() - began

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.fd)
