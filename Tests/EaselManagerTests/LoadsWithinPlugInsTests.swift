import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Plug-ins that wait for another load of the same manager, in greater numbers than any queue has places.
struct LoadsWithinPlugInsTests {
  enum Place: CaseIterable, Sendable { case request, response, decryption, loading }

  /// A loader that asks the manager for another picture after its head was accepted.
  private struct Asking: ImageLoader {
    let base: FakeLoader
    let ask: @Sendable (URL) async throws -> Void
    var cacheIdentity: CacheIdentity { .named("asking") }

    func canLoad(_ url: URL) -> Bool { true }
    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      let bytes = ToyImage.small.bytes
      let head = ResponseHead(url: request.url, status: 200, expectedLength: bytes.count)
      if try !sink.beginAtOnce(head) { try await sink.begin(head) }
      try await ask(request.url)
      _ = bytes.withUnsafeBytes(sink.append)
      return .body(nil)
    }
  }

  @Test(arguments: Place.allCases) func theyAllEnd(place: Place) async throws {
    let studio = Studio {
      // Room for one small body at a time; the patience ends only when the test moves the clock.
      $0.undecodedBytes = 1
      $0.workers = .patient(threads: 1)
    }
    let manager = studio.manager
    let outer = (0..<12).map { studio.place(.small, at: "http://outer/\($0).toy") }
    for index in outer.indices { studio.place(.small, at: "http://inner/\(index).toy") }
    let ask: @Sendable (URL) async throws -> Void = { url in
      let inner = URL(string: "http://inner/\(url.lastPathComponent)")!
      _ = try await manager.image(for: inner)
    }
    let context: ImageContext =
      switch place {
      case .request:
        [
          .requestModifier(
            .closure(cacheIdentity: .named("a")) {
              try await ask($0.url)
              return $0
            })
        ]
      case .response:
        [
          .responseModifier(
            .closure(cacheIdentity: .named("a")) {
              if let url = $0.url { try await ask(url) }
              return $0
            })
        ]
      case .decryption: []
      case .loading: [.loader(Asking(base: studio.loader, ask: ask))]
      }
    let tasks = outer.map { url in
      var context = context
      if place == .decryption {
        context[.decryptor] = .closure(cacheIdentity: .named("a")) {
          try await ask(url)
          return $0
        }
      }
      return manager.load(url, context: context)
    }
    // Bodies in the room wait for bodies outside it; the outer ones are let in when patience ends.
    let clock = studio.clock
    let time = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    for task in tasks { #expect(try await task.image.bitmap == ToyImage.small.expectedBitmap()) }
    time.cancel()
    await studio.settle()
    #expect(studio.isAtRest)
    await studio.waitUntilNoRoomIsTaken()
  }

  /// The ways in which a plug-in can ask for a picture.
  enum Form: CaseIterable, Sendable { case image, task, bytes }

  private static func ask(_ manager: ImageManager, for request: ImageRequest, _ form: Form) async throws {
    switch form {
    case .image: _ = try await manager.image(for: request)
    case .task: _ = try await manager.load(request).image
    case .bytes: _ = try await manager.bytes(for: request)
    }
  }

  @Test(arguments: Place.allCases, Form.allCases)
  func onePlugInOfTheManagerThatAsksForMoreByItFailsInsteadOfWaitingForItself(place: Place, form: Form) async {
    let box = Locked<ImageManager?>(nil)
    // The inner load goes through the same plug-in, which asks again.
    let ask: @Sendable () async throws -> Void = {
      let manager = box.withLock { $0 }!
      try await Self.ask(manager, for: ImageRequest("http://host/token.toy"), form)
    }
    let studio = Studio { configuration in
      switch place {
      case .request:
        configuration.requestModifier = .closure(cacheIdentity: .named("a")) {
          try await ask()
          return $0
        }
      case .response:
        configuration.responseModifier = .closure(cacheIdentity: .named("a")) {
          try await ask()
          return $0
        }
      case .loading:
        configuration.loader = Asking(base: FakeLoader()) { _ in try await ask() }
      case .decryption:
        configuration.decryptor = .closure(cacheIdentity: .named("a")) {
          try await ask()
          return $0
        }
      }
    }
    box.withLock { $0 = studio.manager }
    studio.place(.small, at: "http://host/token.toy")
    let url = studio.place(.small)
    var error: (any Error)? = await studio.failure(url)
    var depth = 0
    while let known = error as? ImageError, let cause = known.underlyingError, depth < 10 {
      error = cause
      depth += 1
    }
    #expect((error as? ImageError)?.message.contains("waits for the plug-in itself") == true)
    #expect(studio.isAtRest)
    box.withLock { $0 = nil }
  }

  @Test func aPlugInThatAsksForItsOwnPictureFailsInsteadOfWaitingForItself() async throws {
    let box = Locked<ImageManager?>(nil)
    let url = URL(string: "http://host/a.toy")!
    let studio = Studio { configuration in
      configuration.requestModifier = .closure(cacheIdentity: .named("a")) { request in
        let manager = box.withLock { $0 }!
        // Its failure does not end the outer load.
        _ = try? await manager.image(for: url)
        return request
      }
    }
    box.withLock { $0 = studio.manager }
    studio.place(.small)
    #expect(try await studio.manager.image(for: url).bitmap == ToyImage.small.expectedBitmap())
    box.withLock { $0 = nil }
  }

  // MARK: Circles

  private static let kinds: [ImageOptions] = [[], .refreshCached, .fromLoaderOnly, .retryFailed]

  /// A manager whose loader calls `ask` before the first body of its URL.
  private func makeStudio(asking ask: @escaping @Sendable (ImageManager) async -> Void) -> Studio {
    let box = Locked<ImageManager?>(nil)
    let hasAsked = Locked(false)
    let studio = Studio { configuration in
      configuration.loader = Asking(base: FakeLoader()) { _ in
        let isFirst = hasAsked.withLock { hasAsked in
          defer { hasAsked = true }
          return !hasAsked
        }
        guard isFirst, let manager = box.withLock({ $0.take() }) else { return }
        await ask(manager)
      }
    }
    box.withLock { $0 = studio.manager }
    return studio
  }

  private static func isOfACircle(_ error: ImageError?) -> Bool {
    error?.code == .invalidRequest && error?.message.contains("waits for the plug-in itself") == true
  }

  @Test(arguments: kinds, kinds)
  func aLoaderThatAsksForItsOwnPictureInAnotherWayIsAnsweredAtOnce(
    _ outer: ImageOptions, _ inner: ImageOptions
  ) async throws {
    let url = URL(string: "http://host/a.toy")!
    let error = Locked<ImageError?>(nil)
    let studio = makeStudio { manager in
      do throws(ImageError) {
        _ = try await manager.image(for: url, options: inner)
      } catch let failure {
        error.withLock { $0 = failure }
      }
    }
    let image = try await studio.manager.image(for: url, options: outer)
    #expect(try image.bitmap == ToyImage.small.expectedBitmap())
    #expect(Self.isOfACircle(error.withLock { $0 }))
    // Later loads do not wait for what is over.
    #expect(try await studio.result(url).source == .memory)
    _ = try await studio.result(url, .fromLoaderOnly)
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test(arguments: [true, false])
  func onlyTheLoadOfThePlugInFailsIfItWaitsForAnInnocentOne(_ comesFirst: Bool) async throws {
    let url = URL(string: "http://host/a.toy")!
    let error = Locked<ImageError?>(nil)
    let isAtLoader = AsyncGate()
    let mayAsk = AsyncGate()
    let studio = makeStudio { manager in
      isAtLoader.open()
      try? await mayAsk.pass()
      do throws(ImageError) {
        _ = try await manager.image(for: url)
      } catch let failure {
        error.withLock { $0 = failure }
      }
    }
    studio.disk.suspend(.query)
    let outer = studio.manager.load(url, options: .fromLoaderOnly)
    try await isAtLoader.pass()
    // It is of the kind for which the plug-in asks, and comes to the same transfer.
    let innocent = studio.manager.load(url)
    await studio.disk.waitUntilSuspended(.query)
    let manager = studio.manager
    if comesFirst {
      studio.disk.resume(.query)
      await waitUntil { manager.transferRuns.waitingCount > 2 }
      mayAsk.open()
    } else {
      mayAsk.open()
      await waitUntil { manager.resultRuns.waitingCount > 2 }
      studio.disk.resume(.query)
    }
    let expected = try ToyImage.small.expectedBitmap()
    #expect(try await outer.image.bitmap == expected)
    #expect(try await innocent.image.bitmap == expected)
    #expect(Self.isOfACircle(error.withLock { $0 }))
    await studio.settle()
    #expect(studio.isAtRest)
  }
}
