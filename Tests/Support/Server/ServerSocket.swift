import EaselCore
import EaselSupport
import Glibc

/// One end of a TCP connection; one thread uses it and others may interrupt it.
final class ServerSocket: Sendable {
  private let descriptor: CInt
  // Once the descriptor is closed, its number may belong to another file, so other threads must not use it then.
  private let isOpen = Locked(true)

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    var on: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  deinit { close() }

  /// Interrupts the owner's current wait.
  func interrupt() {
    isOpen.withLock { isOpen in
      if isOpen { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
    }
  }

  func close() {
    isOpen.withLock { isOpen in
      if isOpen {
        // Also shuts the connection down, because a process started between accept and fcntl may hold it too.
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
        _ = Glibc.close(descriptor)
      }
      isOpen = false
    }
  }

  /// Announces the end, and waits until the client has read everything and left.
  ///
  /// Closing at once would discard data that the client has not read, if the client has sent something meanwhile.
  func closeGently() {
    _ = shutdown(descriptor, CInt(SHUT_WR))
    waitForHangup()
    close()
  }

  /// Resets the connection once the client's system has received the data sent so far.
  func reset() {
    var unsent: CInt = 0
    while ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0, !hasEnded(within: 1) {}
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    isOpen.withLock { isOpen in
      // There is no shutdown first, because that would end the connection in order.
      if isOpen { _ = Glibc.close(descriptor) }
      isOpen = false
    }
  }

  /// Sends all bytes; false when the connection is gone.
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

  /// The next bytes from the client; empty when it has left.
  func receive() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      var got: Int
      repeat { got = recv(descriptor, buffer.baseAddress, buffer.count, 0) } while got < 0 && errno == EINTR
      count = max(0, got)
    }
  }

  /// Reads and ignores everything until the client has left.
  func waitForHangup() { while !receive().isEmpty {} }

  /// Waits at most this many milliseconds; true as soon as the connection is gone.
  func hasEnded(within milliseconds: CInt) -> Bool {
    var watched = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&watched, 1, milliseconds) > 0
  }
}
