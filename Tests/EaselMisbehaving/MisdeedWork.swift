import EaselCore
import Glibc

// Swift does not offer these.
@_silgen_name("fork") private func systemFork() -> Int32
@_silgen_name("ptrace") private func systemTrace(_ request: Int, _ process: Int, _ address: Int, _ data: Int) -> Int

#if arch(x86_64)
  private let (futexCall, readMemoryCall) = (202, 310)
#else
  private let (futexCall, readMemoryCall) = (98, 270)
#endif
@_silgen_name("syscall") private func systemCall(
  _ number: Int, _ word: UnsafeMutablePointer<UInt32>, _ operation: Int, _ value: Int, _ timeout: Int, _ other: Int,
  _ last: Int
) -> Int

/// Does a misdeed inside the child of a sandbox, whose descriptors are 4 for input, 5 for output and 6 for answers.
struct MisdeedWork {
  let limits: Limits

  /// Returns nil where the coder is to make its picture after all.
  func run(_ misdeed: Misdeed) throws -> Image? {
    switch misdeed {
    case .nothing, .lieAboutFormat: return nil
    case .crash: UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    case .trap: preconditionFailure("on command")
    case .abort: Glibc.abort()
    case .exit: _exit(7)
    case .hang: while getpid() != 0 {}
    case .sleep: while true { usleep(100_000) }
    case .stop: raise(SIGSTOP)
    case .killItself: raise(SIGKILL)
    case .allocate: return try allocateWithoutEnd()
    case .recurse: _ = Self.recurse(1)
    case .growOutput: try growOutput()
    case .shrinkOutput: ftruncate(5, 0)
    case .fork: try expectRefused("fork", systemFork())
    case .startThread: try startThread()
    case .openFile: try expectRefused("open", open("/etc/passwd", O_RDONLY))
    case .writeFile: try expectRefused("creation", open(Misdeed.file, O_CREAT | O_WRONLY, 0o600))
    case .listFolder: try expectRefused("opendir", opendir("/") == nil ? -1 : 0)
    case .openSocket: try expectRefused("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    case .connect: connectAnswers()
    case .readMemory: readMemory()
    case .signalParent: kill(getppid(), SIGKILL)
    case .trace: _ = systemTrace(0, 0, 0, 0)
    case .execute: execv("/bin/true", [nil])
    case .makeCode:
      let code = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      try expectRefused("executable memory", code == MAP_FAILED ? -1 : 0)
    case .pageOut: try expectRefused("advice", advise(MADV_PAGEOUT))
    case .lendPriority: try expectRefused("a lock with priority", lockWithPriority())
    case .throwOddly:
      throw ImageError(.badImageData, "red\u{1b}[31m\u{202e} line\nnext \(String(repeating: "x", count: 5000))")
    case .changeInput: try expectNoWrite(to: 4)
    case .showOthers: return try othersPixels()
    default: lie(misdeed)
    }
    return nil
  }

  /// Does what it can do where a file inside the picture's file is asked for.
  func runWithFile(_ misdeed: Misdeed) throws {
    var lie = LyingAnswer(kind: 5)
    switch misdeed {
    case .lieAboutSize: lie.fileLength = limits.downloadBytes + 1
    case .lieAboutOffset: lie.offset = 1 << 39
    case .lieAboutMetadata: lie.fileLength = 0
    case .answerAnotherQuestion: lie.kind = 1
    default:
      _ = try run(misdeed)
      return
    }
    lie.send()
    while true { usleep(100_000) }
  }

  // MARK: Taking

  private func allocateWithoutEnd() throws -> Image? {
    while true {
      guard let block = malloc(16 << 20) else { throw ImageError.exhausted("There is no memory left.") }
      memset(block, 1, 16 << 20)
    }
  }

  @inline(never)
  private static func recurse(_ depth: Int) -> Int { depth == 0 ? 0 : recurse(depth &+ 1) &+ depth }

  private func growOutput() throws {
    let block = [UInt8](repeating: 1, count: 1 << 20)
    while block.withUnsafeBytes({ write(5, $0.baseAddress!, $0.count) }) > 0 {}
    throw ImageError.exhausted("There is no room left.")
  }

  // MARK: Reaching out

  /// Throws the error that tells what the system answered; returns if the call had an effect.
  private func expectRefused(_ what: String, _ result: Int32) throws {
    if result < 0 { throw ImageError(.badImageData, "\(what) was refused with \(errno).") }
  }

  private func expectNoWrite(to descriptor: Int32) throws {
    if write(descriptor, "x", 1) >= 0 { throw ImageError(.badImageData, "The input was changed.") }
  }

  private func advise(_ advice: CInt) -> Int32 {
    let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return madvise(page, 4096, advice)
  }

  private func lockWithPriority() -> Int32 {
    var word: UInt32 = 0
    return Int32(truncatingIfNeeded: systemCall(futexCall, &word, 6, 0, 0, 0, 0))
  }

  /// Connects the socket for answers to another one, whose address has no meaning.
  private func connectAnswers() {
    var address = sockaddr()
    connect(6, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// Reads the memory of another process; the filter looks only at the number of the call.
  private func readMemory() {
    var word: UInt32 = 0
    _ = systemCall(readMemoryCall, &word, 0, 0, 0, 0, 0)
  }

  private func startThread() throws {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in nil }, nil)
    if code != 0 { throw ImageError(.badImageData, "A thread was refused with \(code).") }
  }

  // MARK: Lying

  private func lie(_ misdeed: Misdeed) {
    var lie = LyingAnswer()
    switch misdeed {
    case .lieAboutSize: (lie.width, lie.height) = (65_535, 65_535)
    case .lieAboutOffset: lie.offset = 1 << 39
    case .lieAboutStride: lie.bytesPerRow = 3
    case .lieAboutFrames: lie.frameDelays = Array(repeating: 40, count: 200_000)
    case .lieAboutMetadata: lie.profileLength = 1 << 33
    case .lieAboutOrientation: lie.orientation = 99
    case .answerAnotherQuestion: lie.kind = 3
    case .announceTooMuch: lie.announced = Int(UInt32.max)
    case .announceAndStop, .announceAndTrickle: lie.announced = 1_000_000
    case .writeGarbage: lie.garbage = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    case .writeNothing, .closeSocket, .outstay: break
    default: fatalError("\(misdeed) is no lie.")
    }
    if misdeed == .closeSocket { close(6) } else if misdeed != .writeNothing { lie.send() }
    // Often enough that whoever waits for bytes never waits long.
    while misdeed == .announceAndTrickle, write(6, "x", 1) == 1 { usleep(2000) }
    // Whoever believes the lie must not be told the truth afterwards.
    while true { usleep(100_000) }
  }

  /// A picture of what others left: bytes in the whole output file, and descriptors of theirs.
  private func othersPixels() throws -> Image? {
    var bitmap = try Bitmap(size: MisbehavingCoder.size, format: .opaqueRGBA8)
    let descriptors: [Int32] = [3] + (7..<32)
    bitmap.withUnsafeMutableBytes { pixels in
      var block = [UInt8](repeating: 0, count: pixels.count)
      var place = 0
      while case let count = pread(5, &block, block.count, place), count > 0 {
        for index in 0..<count { pixels[index] |= block[index] }
        place += count
      }
      for descriptor in descriptors where read(descriptor, &block, 0) == 0 || errno != EBADF { pixels[0] = 255 }
    }
    return Image(bitmap, format: MisbehavingCoder().formats[0])
  }
}

/// An answer about a picture in the form that children use, with chosen lies.
private struct LyingAnswer {
  var kind = 1
  var width = 40
  var height = 30
  var bytesPerRow = 160
  var offset = 0
  var orientation = 1
  var profileLength: Int?
  var frameDelays: [Int]?
  var fileLength = 4800
  var announced: Int?
  var garbage: [UInt8]?

  func send() {
    _ = [UInt8](repeating: 9, count: 4800).withUnsafeBytes { pwrite(5, $0.baseAddress!, 4800, 0) }
    let message = garbage ?? self.message
    let start = withUnsafeBytes(of: UInt32(announced ?? message.count).littleEndian) { Array($0) }
    let bytes = start + message
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes { write(6, $0.baseAddress! + done, bytes.count - done) }
      guard wrote > 0 else { return }
      done += wrote
    }
  }

  private var message: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ number: Int) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    func none() { bytes.append(0) }
    if kind == 5 {
      add(kind)
      bytes.append(1)
      [offset, fileLength].forEach(add)
      return bytes
    }
    [kind, width, height, 1, 0, bytesPerRow, offset].forEach(add)
    // No format; metadata with a size, an orientation, perhaps a profile, and nothing else.
    none()
    [40, 30, orientation].forEach(add)
    if let profileLength {
      bytes.append(1)
      add(profileLength)
    } else {
      none()
    }
    none()
    add(0)
    for _ in 0..<3 { none() }
    // No gain map, no traits.
    none()
    add(0)
    if let frameDelays {
      bytes.append(1)
      [0, 40, 30, frameDelays.count].forEach(add)
      frameDelays.forEach(add)
    } else {
      none()
    }
    return bytes
  }
}
