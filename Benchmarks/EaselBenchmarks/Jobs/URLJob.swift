import Easel
import EaselBenchmarkHarness
import EaselSupport
import FoundationEssentials
import Glibc

/// Thumbnails of URLs in a disk cache, as a server makes them: a manager, its loader, six loads at a time.
///
/// It is a separate process that runs this same program, so that it has its own core and all its processor time is
/// counted.
enum URLJob {
  static let word = "url-job"

  /// The command for the first pictures of a directory on a server.
  static func command(_ base: String, files: PictureFiles, cache: String) -> [String] {
    [InstalledProgram.own, word, base, cache] + files.names
  }

  /// Runs the job; the arguments follow the command word.
  static func run(_ arguments: [String]) async throws {
    let (base, cache, names) = (arguments[0], arguments[1], Array(arguments[2...]))
    var configuration = ImageManager.Configuration.standard(cacheDirectory: cache)
    configuration.cacheSerializer = .closure { image, _ in
      try JPEGCoder().encode(image, as: .jpeg, options: EncodeOptions(), work: WorkContext())
    }
    let manager = ImageManager(configuration)
    let context: ImageContext = [
      .thumbnailSize(PixelSize(width: 320, height: 320)), .storeLayers(.disk), .originalStoreLayers([]),
    ]
    let next = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          while let index = next.next(below: names.count) {
            let request = ImageRequest("\(base)/\(names[index])", options: .waitStore, context: context)
            blackHole(try await manager.image(for: request))
          }
        }
      }
      try await group.waitForAll()
    }
    await manager.close()
  }
}

extension Locked where State == Int {
  /// Returns the next number below an end, for callers that share work.
  func next(below end: Int) -> Int? {
    withLock { next in
      guard next < end else { return nil }
      defer { next += 1 }
      return next
    }
  }
}
