import CEaselCurl
import EaselCore
import EaselWorkers
import FoundationEssentials
import Glibc

/// Stores cut bodies, one in each file: a line with the length of the head and a checksum, then the head and the bytes.
///
/// Only the checksum detects damage: a joined body has the right length in any case, and no image format has a checksum
/// over the whole file.
final class PartialFiles: Sendable {
  private struct Head: Codable {
    let original: String
    let validator: String
    let length: Int
    let byteCount: Int
    let url: URL?
    let status: Int?
    let headers: HTTPHeaders
  }

  private static let ending = ".partial"
  private let directory: String
  private let limit: Int
  private let lifetime: Duration
  private let clock: any ImageClock
  // The longest time for which a disk that hangs can delay a transfer; then the transfer starts from the beginning.
  private static let timeLimit = Duration.seconds(5)
  // There is only one thread, so that a read sees every earlier write.
  private let worker = WorkerSet(threads: 1)

  init(directory: String, limit: Int, lifetime: Duration, clock: any ImageClock) {
    self.directory = directory
    self.limit = limit
    self.lifetime = lifetime
    self.clock = clock
  }

  func write(_ partial: PartialBody, for key: CacheKey) {
    worker.start(at: LoadPriority.Live(), terms) { [self] in
      let head = Head(
        original: key.original, validator: partial.validator, length: partial.length,
        byteCount: partial.bytes.count, url: partial.head.url, status: partial.head.status,
        headers: partial.head.headers)
      guard let encoded = try? JSONEncoder().encode(head) else { return }
      mkdir(directory, 0o700)
      guard isOurs else { return }
      let path = path(of: key)
      let draft = path + ".\(getpid())"
      let isWritten = try? partial.bytes.withUnsafeBytes { bytes in
        let sum = Self.checksum(encoded, bytes)
        return Self.write([Array("\(encoded.count) \(sum)\n".utf8), Array(encoded)], bytes, to: draft)
      }
      // The file gets its name only when it is complete, so that nobody reads a half-written file.
      if isWritten != true || rename(draft, path) != 0 { unlink(draft) }
      trim()
    }
  }

  func take(_ key: CacheKey) async -> PartialBody? {
    try? await worker.run(terms) { [self] in
      guard isOurs else { return nil }
      let path = path(of: key)
      defer { unlink(path) }
      guard isFresh(path) else { return nil }
      return Self.read(path, of: key)
    }
  }

  func removeAll() async {
    try? await worker.run(terms) { [self] in
      guard isOurs else { return }
      for file in listing() { unlink(file.path) }
    }
  }

  private var terms: JobTerms {
    JobTerms(WorkTime(Self.timeLimit, clock: worker.clock)) {
      ImageError(.timedOut, "The disk did not answer within \(Self.timeLimit).", subject: self.directory)
    }
  }

  func waitForWrites() async { try? await worker.run {} }

  private static func checksum(_ head: Data, _ body: UnsafeRawBufferPointer) -> UInt32 {
    let sum = head.withUnsafeBytes { easel_checksum(0, $0.baseAddress, $0.count) }
    return easel_checksum(sum, body.baseAddress, body.count)
  }

  /// True when the directory belongs to this user, and nobody else may write to it.
  private var isOurs: Bool {
    var status = stat()
    return lstat(directory, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  private func path(of key: CacheKey) -> String { directory + "/" + key.diskName + Self.ending }

  private static func write(_ parts: [[UInt8]], _ body: UnsafeRawBufferPointer, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
      return true
    }
    return parts.allSatisfy { part in part.withUnsafeBytes(put) } && put(body)
  }

  private static func read(_ path: String, of key: CacheKey) -> PartialBody? {
    guard let contents = try? Data(contentsOf: URL(filePath: path)),
      let lineEnd = contents.firstIndex(of: UInt8(ascii: "\n")),
      case let numbers = contents[..<lineEnd].split(separator: UInt8(ascii: " ")), numbers.count == 2,
      let headCount = Int(String(decoding: numbers[0], as: UTF8.self)), headCount >= 0,
      headCount <= contents.count - lineEnd - 1
    else { return nil }
    let bodyStart = lineEnd + 1 + headCount
    let sum = contents[bodyStart...].withUnsafeBytes { checksum(contents[(lineEnd + 1)..<bodyStart], $0) }
    guard String(decoding: numbers[1], as: UTF8.self) == "\(sum)",
      let head = try? JSONDecoder().decode(Head.self, from: contents[(lineEnd + 1)..<bodyStart]),
      head.original == key.original, head.byteCount == contents.count - bodyStart, head.byteCount < head.length
    else { return nil }
    return PartialBody(
      bytes: ImageBytes(Data(contents[bodyStart...])),
      head: ResponseHead(
        url: head.url, status: head.status, headers: head.headers, expectedLength: head.length),
      validator: head.validator, length: head.length)
  }

  private struct File {
    let path: String
    let size: Int
    let changed: Double
  }

  private func isFresh(_ path: String) -> Bool {
    guard let file = file(path) else { return false }
    return clock.date.timeIntervalSince1970 - file.changed < lifetime / .seconds(1)
  }

  private func file(_ path: String) -> File? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let changed = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) * 1e-9
    return File(path: path, size: Int(status.st_size), changed: changed)
  }

  private func listing() -> [File] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var files: [File] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // The names of unfinished drafts also contain the ending.
      if name.contains(Self.ending), let file = file(directory + "/" + name) { files.append(file) }
    }
    return files
  }

  /// Removes files that are too old, and the oldest files while the total exceeds the limit.
  private func trim() {
    var total = 0
    for file in listing().sorted(by: { $0.changed > $1.changed }) {
      total += file.size
      if total > limit || !isFresh(file.path) { unlink(file.path) }
    }
  }
}
