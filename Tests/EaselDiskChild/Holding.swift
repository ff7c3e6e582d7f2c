import Glibc

/// Holds the lock of a directory, like a process that was stopped at the wrong moment.
enum Holding {
  static func run(_ directory: String) {
    let descriptor = open("\(directory)/lock", O_RDWR | O_CREAT, 0o600)
    guard flock(descriptor, LOCK_EX) == 0 else { exit(1) }
    guard write(STDOUT_FILENO, "locked\n", 7) == 7 else { exit(1) }
    while true { pause() }
  }
}
