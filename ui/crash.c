#include "ui/crash.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* Prepared beforehand: a handler may only write what is there. */
static char report_path[4096], program[256], running[512], leave[512];
static struct termios modes;
static volatile sig_atomic_t terminal_known;
static unsigned char handler_stack[1 << 16];

static void say(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(fd, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= (size_t)written;
    }
}

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV: return "SIGSEGV: memory that is not ours";
    case SIGBUS: return "SIGBUS: a file that shrank, or failing memory";
    case SIGFPE: return "SIGFPE: arithmetic";
    case SIGILL: return "SIGILL: an instruction this CPU does not have";
    default: return "SIGABRT: a check inside failed";
    }
}

static void write_report(int number)
{
    void *frames[64];
    int fd = open(report_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    say(fd, program);
    say(fd, "\n");
    say(fd, signal_name(number));
    say(fd, "\nwhile running: ");
    say(fd, running[0] ? running : "nothing");
    say(fd, "\n");
    backtrace_symbols_fd(frames, backtrace(frames, 64), fd);
    (void)close(fd);
}

static void on_crash(int number)
{
    if (terminal_known) {
        say(STDOUT_FILENO, leave);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    }
    say(STDERR_FILENO, "\nepsbench has crashed (");
    say(STDERR_FILENO, signal_name(number));
    say(STDERR_FILENO, "); what is known about it is in ");
    say(STDERR_FILENO, report_path);
    say(STDERR_FILENO, "\n");
    write_report(number);
    (void)raise(number); /* with SA_RESETHAND: as if nobody had caught it */
}

static void copy(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    length = length < size ? length : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

void eb_crash_watch(const char *path, const char *build)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    copy(report_path, sizeof report_path, path);
    copy(program, sizeof program, build);
    void *frame;
    (void)backtrace(&frame, 1); /* loads what it needs now, not in a handler */
    (void)sigaltstack(&(stack_t){.ss_sp = handler_stack, .ss_size = sizeof handler_stack}, NULL);
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK)};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        (void)sigaction(numbers[k], &action, NULL);
}

/* Appends a terminal's string, its waiting times ("$<5>") left out. */
static void add_string(const char *capability)
{
    const char *text = tigetstr(capability);
    size_t used = strlen(leave);
    if (!text || text == (char *)-1)
        return;
    while (*text && used + 1 < sizeof leave) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            leave[used++] = *text++;
    }
    leave[used] = '\0';
}

void eb_crash_remember_terminal(void)
{
    leave[0] = '\0';
    const char *mouse = tigetstr("kmous");
    if (mouse && mouse != (char *)-1)
        copy(leave, sizeof leave, "\033[?1006l\033[?1000l");
    add_string("sgr0");
    add_string("rmkx");
    add_string("rmcup");
    add_string("cnorm");
    terminal_known = tcgetattr(STDIN_FILENO, &modes) == 0;
}

void eb_crash_forget_terminal(void) { terminal_known = 0; }

void eb_crash_note(const char *command) { copy(running, sizeof running, command); }
