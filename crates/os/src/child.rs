//! A program inside a network namespace: it and all it starts end with its parent, and it finds the given names.

use crate::error::{Error, Result, check};
use crate::namespace::{NAMESPACE_REMEDY, NetNs, own_mounts};
use crate::signal::{self, Signal};
use crate::tree;
use rustix::fs::{Mode, OFlags};
use std::ffi::CString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::ptr;

/// Files that a program sees in place of the system's: `/etc/hosts`, and `/etc/nsswitch.conf` where that would ask
/// somebody else first.
#[derive(Debug, Clone)]
pub struct Names {
    files: Vec<File>,
}

/// Where a file appears, where it is written before, and its content.
#[derive(Debug, Clone)]
struct File {
    target: CString,
    made: CString,
    content: Vec<u8>,
}

const HOSTS: &str = "/etc/hosts";
const SWITCH: &str = "/etc/nsswitch.conf";

impl Names {
    /// Names and their addresses, beside `localhost`. A name may have several addresses.
    ///
    /// # Errors
    /// If a name cannot be a host's, or if the system has no `/etc/hosts` to put these in place of.
    pub fn new(hosts: &[(&str, IpAddr)]) -> Result<Self> {
        if !Path::new(HOSTS).exists() {
            let text = "the system has no /etc/hosts; make an empty one, so that names can be put in its place";
            return Err(Error::Input(text.to_owned()));
        }
        let mut text = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n".to_owned();
        for (name, address) in hosts {
            if !is_host(name) {
                return Err(Error::Input(format!(
                    "'{name}' cannot be the name of a host: use letters, digits, '-', '_' and '.'"
                )));
            }
            let _ = writeln!(text, "{address} {name}");
        }
        let mut files = vec![File::new(HOSTS, "/tmp/0", text)];
        if let Ok(switch) = fs::read_to_string(SWITCH)
            && let Some(changed) = files_first(&switch)
        {
            files.push(File::new(SWITCH, "/tmp/1", changed));
        }
        Ok(Self { files })
    }
}

impl File {
    fn new(target: &str, made: &str, content: String) -> Self {
        let path = |text: &str| CString::new(text).unwrap_or_default();
        Self { target: path(target), made: path(made), content: content.into_bytes() }
    }
}

/// Whether a line of `/etc/hosts` may have this name.
pub fn is_host(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=253).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with(['-', '.'])
}

/// The text of `nsswitch.conf` with files asked first for hosts, or nothing if they are.
fn files_first(switch: &str) -> Option<String> {
    let sources = |line: &str| Some(line.trim_start().strip_prefix("hosts:")?.trim().to_owned());
    let now = switch.lines().find_map(sources)?;
    if now.split_whitespace().next() == Some("files") {
        return None;
    }
    let line = |line: &str| match sources(line) {
        Some(_) => "hosts: files dns\n".to_owned(),
        None => format!("{line}\n"),
    };
    Some(switch.lines().map(line).collect())
}

/// Starts a program in a network namespace, and in a process namespace of its own. When the program ends, when the child
/// that is returned is killed, or when the calling *thread* ends, however it ends, the kernel kills the program and all
/// that it started, whatever sessions these are in. With `names`, it sees these in a mount namespace of its own: nothing
/// is written to a disk, and nothing is left.
///
/// The child that is returned stands for the program: it has its status, and passes SIGINT and SIGTERM on.
///
/// # Errors
/// If the program does not exist or may not run, or if a namespace refuses it.
#[allow(unsafe_code, reason = "no safe library runs a function between fork and exec")]
pub fn spawn_in(namespace: &NetNs, names: Option<&Names>, command: &mut Command) -> Result<Child> {
    let program = command.get_program().to_string_lossy().into_owned();
    let clone = |e| Error::system("copying a descriptor", e);
    let held: OwnedFd = rustix::io::fcntl_dupfd_cloexec(namespace, 3).map_err(clone)?;
    let files = names.map(|names| names.files.clone()).unwrap_or_default();
    let parent = rustix::process::getpid().as_raw_nonzero().get();
    // SAFETY: between fork and exec the function only makes system calls on memory prepared before. It allocates
    // nothing, takes no lock, and its errors carry a number only.
    unsafe {
        command.pre_exec(move || {
            killed_with(parent)?;
            check(libc::setns(held.as_raw_fd(), libc::CLONE_NEWNET))?;
            // The program's process is the only one that returns.
            tree::plant()?;
            own_mounts()?;
            put(&files)?;
            own_processes();
            signal::mask(libc::SIG_UNBLOCK)
        });
    }
    command.spawn().map_err(|e| match e.raw_os_error() {
        Some(libc::ENOENT) => Error::Input(format!("'{program}' was not found")),
        // A folder of PATH that may not be read answers so, too.
        Some(libc::EACCES) => Error::Input(format!("'{program}' was not found, or may not be run")),
        Some(libc::EPERM) => {
            Error::Forbidden { action: format!("starting '{program}'"), remedy: NAMESPACE_REMEDY }
        }
        _ => Error::system(format!("starting '{program}'"), e),
    })
}

/// Asks a program to end: passes SIGINT or SIGTERM on to it.
///
/// # Errors
/// If the program's child was waited for already.
pub fn ask(child: &Child, signal: Signal) -> Result<()> {
    use rustix::process::{Pid, Signal as Number, kill_process};
    let number = match signal {
        Signal::Interrupt => Number::INT,
        _ => Number::TERM,
    };
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| Error::Input("a program has no number".to_owned()))?;
    kill_process(id, number).map_err(|e| Error::system("asking a program to end", e))
}

/// Asks for the end of this process when its parent ends, and sees that it has not ended yet. The kernel forgets it when the
/// process enters a user namespace.
///
/// # Errors
/// If the process that started this one is another, or has ended.
pub fn end_with(parent: i32) -> Result<()> {
    killed_with(parent).map_err(|e| Error::system(format!("ending with process {parent}"), e))
}

/// Asks for SIGKILL at the end of the parent, and sees that it has not ended yet.
#[allow(unsafe_code, reason = "no safe library sets PR_SET_PDEATHSIG between fork and exec")]
fn killed_with(parent: i32) -> io::Result<()> {
    // SAFETY: both calls take and return numbers.
    let still = unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        libc::getppid()
    };
    if still == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

/// `/proc` of the process namespace, where its processes have the numbers that they know. Where the system refuses, as
/// in containers that hide parts of `/proc`, the outer one stays.
#[allow(unsafe_code, reason = "mounts are not in the features of rustix that are used")]
fn own_processes() {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let (kind, place) = (c"proc".as_ptr(), c"/proc".as_ptr());
    // SAFETY: all pointers are null or strings that end in NUL and outlive the call.
    let _ = unsafe { libc::mount(kind, place, kind, flags, ptr::null()) };
}

/// Puts the files in their places, in a mount namespace of this process. They are written to a file system in memory,
/// which is mounted over `/tmp` for a moment, inside that namespace only.
#[allow(unsafe_code, reason = "mounts are not in the features of rustix that are used")]
fn put(files: &[File]) -> io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let none = ptr::null();
    let kind = c"tmpfs".as_ptr();
    let place = c"/tmp".as_ptr();
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // SAFETY: all pointers are null or strings that end in NUL and outlive the calls.
    unsafe {
        check(libc::mount(kind, place, kind, flags, c"mode=755,size=1m".as_ptr().cast()))?;
    }
    for file in files {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        let open = rustix::fs::open(&file.made, flags, Mode::from_raw_mode(0o644))?;
        // Programs that give up their privilege read it too, whatever the umask is.
        rustix::fs::fchmod(&open, Mode::from_raw_mode(0o644))?;
        let mut rest = &file.content[..];
        while !rest.is_empty() {
            rest = &rest[rustix::io::write(&open, rest)?..];
        }
        // SAFETY: as above.
        check(unsafe {
            libc::mount(file.made.as_ptr(), file.target.as_ptr(), none, libc::MS_BIND, none.cast())
        })?;
    }
    // SAFETY: as above.
    check(unsafe { libc::umount2(place, libc::MNT_DETACH) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_data() {
        let address: IpAddr = "10.0.0.1".parse().unwrap();
        for bad in ["", "a b", "a\n1.2.3.4 bank", "-x", "é", "#"] {
            assert!(Names::new(&[(bad, address)]).is_err(), "{bad:?}");
        }
        assert!(Names::new(&[("server", address), ("node_1.lan", address)]).is_ok());
    }

    #[test]
    fn files_are_asked_first() {
        assert_eq!(files_first("passwd: files\nhosts:  files dns\n"), None);
        assert_eq!(files_first("passwd: files\n"), None);
        assert_eq!(
            files_first("passwd: files\nhosts: resolve [!UNAVAIL=return] files\n").unwrap(),
            "passwd: files\nhosts: files dns\n"
        );
    }
}
