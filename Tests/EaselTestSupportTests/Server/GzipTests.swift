import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct GzipTests {
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Unpacks files with Python's zlib, which checks sums and lengths; returns the length and the number of bytes not
  /// null.
  private func unpack(_ files: [[UInt8]]) throws -> [String] {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-gzip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let paths = files.indices.map { directory.appendingPathComponent("\($0).gz") }
    for (path, file) in zip(paths, files) { try Data(file).write(to: path) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.python))
    let program = """
      import gzip, sys
      for path in sys.argv[1:]:
        try: data = gzip.open(path).read(); print(len(data), len(data) - data.count(0))
        except Exception as error: print(type(error).__name__)
      """
    process.arguments = ["-c", program] + paths.map(\.path)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func bytesAreStored() throws {
    let bodies = [0, 1, 65_535, 65_536, 200_000].map { ServerBody.bytes($0) }
    let expected = bodies.map { body in "\(body.count) \(body.count { $0 != 0 })" }
    #expect(try unpack(bodies.map { Gzip.stored($0) }) == expected)
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func zerosAreTiny() throws {
    let counts = [0, 1, 2, 258, 259, 1033, 4_194_304]
    let files = counts.map { Gzip.zeros($0) }
    for (count, file) in zip(counts, files) { #expect(file.count < count / 1000 + 250) }
    #expect(try unpack(files) == counts.map { "\($0) 0" })
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func faultsAreFaults() throws {
    let bodies = ServerScript.GzipFault.allCases.compactMap { fault -> [UInt8]? in
      guard case .send(let body)? = ServerScript.gzip(with: fault).steps.last else { return nil }
      return body
    }
    #expect(bodies.count == ServerScript.GzipFault.allCases.count)
    #expect(try unpack(bodies) == ["BadGzipFile", "error", "BadGzipFile", "EOFError"])
  }
}
