import EaselCore
import Glibc

/// One end of a TCP connection, used by one thread and interrupted by others.
final class ServerSocket: Sendable {
  private let descriptor: CInt
  // The number may belong to another file as soon as it is closed, so nobody else may touch it then.
  private let isOpen = Locked(true)

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    var on: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  deinit { close() }

  /// Ends whatever the owner waits for.
  func interrupt() {
    isOpen.withLock { isOpen in
      if isOpen { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
    }
  }

  func close() {
    isOpen.withLock { isOpen in
      if isOpen {
        // A process that was started between accept and fcntl may hold the connection, too.
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
        _ = Glibc.close(descriptor)
      }
      isOpen = false
    }
  }

  /// Says that no more will come, and waits until the other side has taken it all and left.
  ///
  /// Closing at once would throw away what the other side has not read, when it has sent something meanwhile.
  func closeGently() {
    _ = shutdown(descriptor, CInt(SHUT_WR))
    waitForHangup()
    close()
  }

  /// Breaks the connection off once the other side's system has what was sent.
  func reset() {
    var unsent: CInt = 0
    while ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0, !hasEnded(within: 1) {}
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    isOpen.withLock { isOpen in
      // Without a shutdown before, which would end the connection in order.
      if isOpen { _ = Glibc.close(descriptor) }
      isOpen = false
    }
  }

  /// Sends all of it; false when the connection is gone.
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { send(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { send($0) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < bytes.count {
      let sent = Glibc.send(descriptor, bytes.baseAddress! + done, bytes.count - done, CInt(MSG_NOSIGNAL))
      if sent > 0 {
        done += sent
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// What the other side sent next; empty when it has left.
  func receive() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      var got: Int
      repeat { got = recv(descriptor, buffer.baseAddress, buffer.count, 0) } while got < 0 && errno == EINTR
      count = max(0, got)
    }
  }

  /// Reads on, whatever comes, until the other side has left.
  func waitForHangup() { while !receive().isEmpty {} }

  /// Waits for so many milliseconds; true as soon as the connection is gone.
  func hasEnded(within milliseconds: CInt) -> Bool {
    var watched = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&watched, 1, milliseconds) > 0
  }
}
