//! A process namespace for one program, so that all it starts ends with it.
//!
//! ```text
//! caller             starts a child, and is its parent
//! `- keeper          the child: has the program's status, passes SIGINT and SIGTERM on, has a process group of its own
//!    |- first        process 1 of the namespace; ends when the keeper does, and the kernel then kills the namespace
//!    `- program      in the process group of the caller, as if the caller had started it
//! ```
//! The program is not process 1 itself: that one would not be ended by signals, and would have to wait for orphans.
//!
//! All runs between fork and exec: system calls on the stack only.

use crate::error::check;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::{io, ptr};

/// Makes the namespace and its processes. The one that returns is the program's.
#[allow(unsafe_code, reason = "processes are made between fork and exec")]
pub(crate) fn plant() -> io::Result<()> {
    let mut ends = [0; 2];
    // SAFETY: the calls take numbers and an array for two descriptors. A forked process has one thread, and its memory
    // is its own.
    unsafe {
        // A caller may have been started with it ignored, which would hide the program's end.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        check(libc::unshare(libc::CLONE_NEWPID))?;
        check(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        let [of_first, of_keeper] = ends;
        let first = libc::fork();
        check(first)?;
        if first == 0 {
            stay(of_first);
        }
        let program = libc::fork();
        check(program)?;
        if program != 0 {
            keep(program, of_keeper);
        }
    }
    Ok(())
}

/// Process 1: waits until no process holds the other end of the pipe. The program's copy closes when it begins.
#[allow(unsafe_code, reason = "system calls of a process that has nothing else")]
fn stay(pipe: RawFd) -> ! {
    // SAFETY: the descriptors belong to this process only. The kernel writes one byte at most.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpgid(0, 0);
        close_but(pipe);
        // The kernel takes away orphans that ended.
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        let mut byte = 0_u8;
        while libc::read(pipe, (&raw mut byte).cast(), 1) != 0 {}
        libc::_exit(0)
    }
}

/// The keeper: waits for the program, and ends as it did.
#[allow(unsafe_code, reason = "system calls of a process that has nothing else")]
fn keep(program: libc::pid_t, pipe: RawFd) -> ! {
    // SAFETY: the descriptors belong to this process only, and all memory is on its stack.
    unsafe {
        // The terminal's Ctrl-C reaches the program itself.
        libc::setpgid(0, 0);
        close_but(pipe);
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        for signal in [libc::SIGCHLD, libc::SIGINT, libc::SIGTERM] {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
        loop {
            let mut status = 0;
            if libc::waitpid(program, &raw mut status, libc::WNOHANG) == program {
                end_as(status);
            }
            let signal = libc::sigwaitinfo(set.as_ptr(), ptr::null_mut());
            if matches!(signal, libc::SIGINT | libc::SIGTERM) {
                libc::kill(program, signal);
            }
        }
    }
}

/// Ends with the exit code or by the signal that ended the program.
#[allow(unsafe_code, reason = "system calls of a process that has nothing else")]
fn end_as(status: libc::c_int) -> ! {
    if libc::WIFEXITED(status) {
        // SAFETY: it does not return.
        unsafe { libc::_exit(libc::WEXITSTATUS(status)) }
    }
    let signal = libc::WTERMSIG(status);
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the set and the limit live through the calls.
    unsafe {
        // If there is a core, it is the program's.
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, set.as_ptr(), ptr::null_mut());
        libc::kill(libc::getpid(), signal);
        libc::_exit(128 + signal)
    }
}

/// Closes all descriptors but one: a reader at the other end of a pipe waits until all that write are closed.
#[allow(unsafe_code, reason = "no safe library that is used has close_range")]
fn close_but(kept: RawFd) {
    let kept = libc::c_uint::try_from(kept).unwrap_or_default();
    let close = |from: libc::c_uint, to: libc::c_uint| {
        if from > to {
            return;
        }
        // SAFETY: this process uses no other descriptor any more.
        let code = unsafe { libc::syscall(libc::SYS_close_range, from, to, 0) };
        // Linux before 5.9 has no such call.
        if code != 0 {
            for fd in from..=to.min(4_096) {
                // SAFETY: as above.
                let _ = unsafe { libc::close(libc::c_int::try_from(fd).unwrap_or(-1)) };
            }
        }
    };
    if kept > 0 {
        close(0, kept - 1);
    }
    close(kept + 1, libc::c_uint::MAX);
}
