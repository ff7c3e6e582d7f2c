import EaselHTTP
import EaselTestStudio
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCore
@testable import EaselManager

struct ImageBytesTests {
  private let content = (0..<1000).map { UInt8($0 % 251) }

  private func buffered() throws -> ImageBytes {
    let received = ReceivedBytes()
    try #require(content.withUnsafeBytes { received.append($0) })
    return received.snapshot()
  }

  private func all(in directory: TemporaryDirectory) throws -> [ImageBytes] {
    [
      ImageBytes(content), ImageBytes(Data(content)), ImageBytes(Data([9, 9] + content).dropFirst(2)), try buffered(),
      try ImageBytes(contentsOfFile: directory.write(content, to: "a")),
    ]
  }

  private func read(_ bytes: ImageBytes, at offset: Int, _ length: Int) throws -> [UInt8] {
    var target = [UInt8](repeating: 0xaa, count: length)
    let count = try target.withUnsafeMutableBytes { try bytes.read(at: offset, into: $0) }
    #expect(target[count...].allSatisfy { $0 == 0xaa }, "nothing is written behind what was read")
    return Array(target[..<count])
  }

  @Test func everyWindowHoldsTheBytesOfItsPlace() throws {
    let directory = try TemporaryDirectory()
    for bytes in try all(in: directory) {
      #expect(bytes.count == 1000 && !bytes.isEmpty)
      for (offset, length) in [(0, 1000), (0, 1), (999, 1), (500, 100), (990, 50), (0, 5000)] {
        #expect(try read(bytes, at: offset, length) == Array(content[offset..<min(1000, offset + length)]))
      }
      for (offset, length) in [(1000, 10), (2000, 10), (Int.max, 10), (-1, 10), (Int.min, 10), (0, 0)] {
        #expect(try read(bytes, at: offset, length) == [])
      }
    }
  }

  @Test func thePrefixIsNeverLongerThanAllAndNeverNegative() throws {
    let directory = try TemporaryDirectory()
    for bytes in try all(in: directory) {
      #expect(try bytes.prefix(3) == [0, 1, 2])
      #expect(try bytes.prefix(0) == [])
      #expect(try bytes.prefix(-1) == [] && bytes.prefix(.min) == [])
      #expect(try bytes.prefix(.max) == content)
      #expect(try bytes.part(at: 2, count: 3) == Array(content[2..<5]))
      #expect(try bytes.part(at: content.count - 2, count: 9) == Array(content.suffix(2)))
      for (offset, count) in [(content.count, 1), (.max, 1), (-1, 1), (.min, 1), (0, 0), (1, -1), (1, .min)] {
        #expect(try bytes.part(at: offset, count: count) == [], "\(offset), \(count)")
      }
      #expect(try bytes.part(at: 0, count: .max) == content)
    }
  }

  @Test func allBytesAreSeenWhereverTheyLie() throws {
    let directory = try TemporaryDirectory()
    for bytes in try all(in: directory) {
      #expect(try bytes.withUnsafeBytes { Array($0) } == content)
      #expect(try bytes.data() == Data(content))
      let loaded = try bytes.loaded()
      #expect(loaded.filePath == nil)
      #expect(loaded.withBytesInMemory { Array($0) } == content)
    }
  }

  @Test func onlyAFileHasAPathAndKeepsNoMemory() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "a")
    let file = try ImageBytes(contentsOfFile: path)
    #expect(file.filePath == path)
    #expect(file.memoryCost == 0)
    #expect(file.withBytesInMemory { $0.count } == nil)
    #expect(ImageBytes(content).filePath == nil)
    #expect(ImageBytes(content).memoryCost == 1000)
    #expect(try buffered().memoryCost >= 1000)
    #expect(try file.loaded().memoryCost >= 1000)
  }

  @Test func dataInMemoryIsHandedOutWithoutACopy() throws {
    func address(_ data: Data) -> UInt { data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    let data = Data(content)
    #expect(address(try ImageBytes(data).data()) == address(data))
    let buffer = try buffered()
    #expect(address(try buffer.unchangedData()) == buffer.withBytesInMemory { UInt(bitPattern: $0.baseAddress) })
  }

  /// Foundation changes data over foreign memory in place, as long as nobody else holds the same data.
  @Test func whoeverChangesDataLeavesTheBytes() throws {
    let directory = try TemporaryDirectory()
    for bytes in try all(in: directory) {
      var data = try bytes.data()
      data[data.startIndex] ^= 0xff
      data.replaceSubrange(data.startIndex + 1..<data.startIndex + 3, with: [0, 0])
      #expect(try bytes.data() == Data(content))
    }
  }

  @Test func dataOutlivesTheBytesItCameFrom() throws {
    // Both sizes matter: the memory of a large body goes to the next buffer of the pool.
    for count in [1000, 100_000] {
      let received = ReceivedBytes()
      let source = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(source.withUnsafeBytes { received.append($0) })
      let data = try received.snapshot().data()
      received.truncate(to: 0)
      var others: [Bitmap] = []
      for _ in 0..<8 {
        var other = try Bitmap(unfilled: PixelSize(width: count, height: 1), format: .gray8)
        other.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0xff) }
        others.append(other)
      }
      #expect(data == Data(source))
    }
  }

  @Test func noBytesAreNoBytesEverywhere() throws {
    let directory = try TemporaryDirectory()
    let empties = [
      ImageBytes([]), ImageBytes(Data()), ReceivedBytes().snapshot(),
      try ImageBytes(contentsOfFile: directory.write([], to: "empty")),
    ]
    for bytes in empties {
      #expect(bytes.isEmpty && bytes.count == 0)
      #expect(try read(bytes, at: 0, 10) == [])
      #expect(try bytes.prefix(10) == [])
      #expect(try bytes.data().isEmpty)
      #expect(try bytes.withUnsafeBytes { $0.count } == 0)
    }
  }

  @Test func aFileThatIsCutUnderItsReaderIsAnErrorAndNoCrash() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "cut")
    let bytes = try ImageBytes(contentsOfFile: path)
    #expect(truncate(path, 300) == 0)
    #expect(try read(bytes, at: 100, 200) == Array(content[100..<300]))
    let failures: [() throws -> Void] = [
      { _ = try bytes.prefix(301) }, { _ = try bytes.data() }, { _ = try bytes.loaded() },
      { _ = try bytes.withUnsafeBytes { $0.count } }, { _ = try read(bytes, at: 290, 20) },
    ]
    for failure in failures {
      let error = #expect(throws: ImageError.self) { try failure() }
      #expect(error?.code == .badImageData)
      #expect(error?.message == "\(path) had 1000 bytes when it was opened, but now it ends at 300.")
      #expect(error?.subject == path)
    }
  }

  @Test func theFirstBytesThatWereReadStayThere() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "cut")
    let bytes = try ImageBytes(contentsOfFile: path)
    #expect(try bytes.prefix(8) == Array(content[..<8]))
    #expect(truncate(path, 4) == 0)
    #expect(try bytes.prefix(8) == Array(content[..<8]))
    #expect(try read(bytes, at: 500, 12) == Array(content[500..<512]))
    #expect(throws: ImageError.self) { try bytes.prefix(513) }
    #expect(throws: ImageError.self) { try read(bytes, at: 600, 1) }
  }

  @Test func aFileThatGrowsOrIsRemovedStaysWhatItWas() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "grows")
    let bytes = try ImageBytes(contentsOfFile: path)
    _ = truncate(path, 5000)
    #expect(try bytes.data() == Data(content))
    unlink(path)
    #expect(try bytes.data() == Data(content))
  }

  /// The keys of its loader name the version of such a file.
  @Test func aLoadersFileNeverChanges() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "own")
    let bytes = try ImageBytes(fileNamed: "local:///own") { open(path, O_RDONLY | O_CLOEXEC) }
    #expect(bytes.isInFile && bytes.isInLoadersFile && bytes.filePath == nil && bytes.memoryCost == 0)
    #expect(try bytes.data() == Data(content))
    let inPath = try ImageBytes(contentsOfFile: path)
    #expect(inPath.isInFile && !inPath.isInLoadersFile && !ImageBytes(content).isInFile)
    #expect(truncate(path, 5000) == 0)
    let error = #expect(throws: ImageError.self) { try bytes.data() }
    #expect(error?.code == .truncatedBody && error?.subject == "local:///own")
    #expect(throws: ImageError.self) { try bytes.part(at: 600, count: 3) }
    #expect(try inPath.data() == Data(content))
    let missing = #expect(throws: ImageError.self) {
      try ImageBytes(fileNamed: "local:///gone") { open("/gone", O_RDONLY) }
    }
    #expect(missing?.code == .invalidURL && missing?.message.contains("local:///gone") == true)
  }

  @Test func whatIsNoRegularFileIsRefused() throws {
    let directory = try TemporaryDirectory()
    let fifo = "\(directory.path)/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    for path in [directory.path, fifo, "/dev/zero"] {
      let error = #expect(throws: ImageError.self) { try ImageBytes(contentsOfFile: path) }
      #expect(error?.code == .invalidURL)
      #expect(error?.message == "\(path) is not a regular file.")
    }
  }

  @Test func aMissingFileIsNamedWithTheReason() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/missing.png"
    let error = #expect(throws: ImageError.self) { try ImageBytes(contentsOfFile: path) }
    #expect(error?.code == .invalidURL)
    #expect(error?.message == "Could not open \(path): No such file or directory.")
    #expect(error?.subject == path)
    #expect(error?.underlyingError as? SystemError == SystemError(code: ENOENT))
    #expect(throws: ImageError.self) { try ImageBytes(contentsOfFile: "") }
  }

  @Test func aPathWithANullByteIsNotCutThere() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(content, to: "secret")
    let error = #expect(throws: ImageError.self) { try ImageBytes(contentsOfFile: path + "\0.png") }
    #expect(error?.code == .invalidURL)
  }
}
