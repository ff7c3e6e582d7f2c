import EaselCore
import EaselSupport
import EaselTestTags
import Foundation
import Glibc
import Testing

/// Files that stay open for moving pictures.
@Suite(.tags(.alone), .serialized)
struct ManyFilesTests {
  private func openFiles(in folder: Folder) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix(folder.path) == true
    }
  }

  /// True when at most 128 files are open, perhaps after other tests have closed theirs.
  private func fewAreOpen(in folder: Folder) throws -> Bool {
    for _ in 0..<10_000 {
      if try openFiles(in: folder) <= 128 { return true }
      sched_yield()
    }
    return false
  }

  private func bytes(of number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8), 7] }

  @Test func aProcessKeepsOnlySoManyOpenAndReadsThemAll() throws {
    let folder = try Folder()
    let files = try (0..<400).map { number in
      try folder.write(bytes(of: number), to: "\(number)")
      return try ImageBytes(contentsOfFile: "\(folder.path)/\(number)")
    }
    #expect(try fewAreOpen(in: folder))
    for round in 0..<2 {
      for (number, file) in files.enumerated() { #expect(try file.prefix(3) == bytes(of: number), "\(round)") }
      #expect(try fewAreOpen(in: folder))
    }
    let failures = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 2000) { turn in
      let number = turn * 7 % files.count
      if (try? files[number].prefix(3)) != bytes(of: number) { failures.withLock { $0 += 1 } }
    }
    #expect(failures.withLock { $0 } == 0)
  }

  @Test func aFileThatIsAnotherByNowIsNotRead() throws {
    let folder = try Folder()
    try folder.write([1, 2, 3], to: "changed")
    try folder.write([1, 2, 3], to: "gone")
    let (changed, gone) = try (
      ImageBytes(contentsOfFile: "\(folder.path)/changed"), ImageBytes(contentsOfFile: "\(folder.path)/gone")
    )
    try FileManager.default.removeItem(atPath: "\(folder.path)/gone")
    try FileManager.default.removeItem(atPath: "\(folder.path)/changed")
    // The files are still open, so the system keeps their bytes.
    #expect(try changed.prefix(3) == [1, 2, 3] && gone.prefix(3) == [1, 2, 3])
    try folder.write([9, 9, 9], to: "changed")
    let others = try (0..<300).map { number in
      try folder.write([0], to: "\(number)")
      return try ImageBytes(contentsOfFile: "\(folder.path)/\(number)")
    }
    for file in [changed, gone] {
      let error = #expect(throws: ImageError.self) { try file.prefix(3) }
      #expect(error?.code == .badImageData)
    }
    #expect(others.count == 300)
  }
}
