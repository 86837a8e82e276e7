# gdb -x .gdbinit --args build/debug/bin/shoal …: real-time signals that Shoal sends itself many times a second are passed
# on, and gdb does not stop at them. SIG39 (SIGRTMIN + 5) is the watchdog over scripts, SIG40 (SIGRTMIN + 6) the one over
# functions of plugins.
handle SIG39 SIG40 nostop noprint pass
