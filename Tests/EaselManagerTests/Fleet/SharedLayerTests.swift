import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// What goes to the store that several machines use, what is found there, and what never goes there.
struct SharedLayerTests {
  private struct Failure: Error {}

  private func fleet(_ configure: (inout ImageManager.Configuration) -> Void = { _ in }) -> Fleet {
    Fleet(of: 2, isCoordinated: false, configure)
  }

  // MARK: Going out and coming in

  @Test func anotherMachineFindsTheEncodedBytes() async throws {
    let fleet = fleet()
    let url = fleet.place()
    let first = try await fleet[0].encoded(url)
    await fleet.settle()
    let second = try await fleet[1].encoded(url, as: .print, .waitStore)
    #expect(first.entityTag == second.entityTag && second.source == .shared)
    #expect(fleet.loader.callCount == 1 && fleet.encodeCount == 1 && fleet[1].hits == [.shared])
    // The layers in front have it from now on.
    let key = fleet[1].key(url)
    #expect(fleet[1].disk.entries[key]?.bytes?.count == first.bytes.count)
    #expect(fleet[1].memory.entry(for: key)?.bytes?.count == first.bytes.count)
    #expect(try await fleet[1].encoded(url).source == .memory)
  }

  @Test func anotherMachineFindsTheOriginal() async throws {
    let fleet = fleet()
    let url = fleet.place()
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let variant = try await fleet[1].encoded(url, as: .print, .waitStore, small)
    #expect(variant.source == .shared && fleet.loader.callCount == 1)
    await fleet.settle()
    let original = CacheKey(original: url.absoluteString)
    #expect(fleet[1].disk.entries[original] != nil)
  }

  @Test func picturesComeFromOriginalsOfOtherMachines() async throws {
    let fleet = fleet()
    let url = fleet.place()
    _ = try await fleet[0].manager.image(for: ImageRequest(url: url))
    await fleet.settle()
    let image = try await fleet[1].manager.image(for: ImageRequest(url: url, options: .waitStore))
    let expected = try ToyImage.small.expectedBitmap()
    #expect(image.bitmap == expected && fleet[1].hits == [.shared])
    #expect(fleet.loader.callCount == 1 && fleet[1].disk.entries.count == 1)
    let bytes = try await fleet[1].manager.bytes(for: ImageRequest(url: url))
    #expect(bytes.count == ToyImage.small.bytes.count && fleet.loader.callCount == 1)
  }

  @Test func bytesComeFromOtherMachines() async throws {
    let fleet = fleet()
    let url = fleet.place()
    _ = try await fleet[0].manager.bytes(for: ImageRequest(url: url))
    await fleet.settle()
    let bytes = try await fleet[1].manager.bytes(for: ImageRequest(url: url))
    #expect(bytes.count == ToyImage.small.bytes.count && fleet[1].hits == [.shared])
    await fleet.settle()
    #expect(fleet[1].disk.entries.count == 1 && fleet.loader.callCount == 1)
  }

  @Test func pixelsNeverGoOut() async throws {
    let fleet = fleet()
    let url = fleet.place()
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(1)))]
    _ = try await fleet[0].manager.image(for: ImageRequest(url: url, options: .waitStore, context: context))
    await fleet.settle()
    #expect(Set(fleet.store.entries.keys) == [CacheKey(original: url.absoluteString)])
    #expect(fleet[0].disk.entries.count == 2)
    #expect(fleet.store.calls.allSatisfy { if case .query(let key) = $0 { !key.isVariant } else { true } })
  }

  // MARK: What stays

  @Test(arguments: ["private", "no-store", "max-age=60, private=\"Set-Cookie\""])
  func privateResponsesStay(control: String) async throws {
    let fleet = fleet()
    let url = fleet.place(headers: ["Cache-Control": control])
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.entries.isEmpty && !fleet[0].memory.entries.isEmpty)
  }

  @Test(
    arguments: [
      ["Set-Cookie": "a=b"], ["Vary": "Authorization"], ["Vary": "Accept, cookie"], ["Vary": "*"],
    ] as [HTTPHeaders])
  func responsesForOneUserStay(headers: HTTPHeaders) async throws {
    let fleet = fleet()
    let url = fleet.place(headers: headers)
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.entries.isEmpty)
  }

  @Test(arguments: ["Authorization", "cookie", "PROXY-authorization", "X-Key"])
  func authorizedRequestsAskAndTellNobody(field: String) async throws {
    let fleet = fleet { $0.identityHeaders.append("X-Key") }
    let url = fleet.place()
    _ = try await fleet[0].encoded(url, as: .print, [], [.headers(HTTPHeaders([(field, "secret")]))])
    _ = try await fleet[0].encoded(url, as: .print, .handleCookies)
    _ = try await fleet[0].encoded(url, as: .print, [], [.headers(["Cache-Control": "no-store"])])
    await fleet.settle()
    #expect(fleet.store.calls.isEmpty)
  }

  @Test func urlsWithPasswordsAskNobody() async throws {
    let fleet = fleet()
    let url = fleet.place(at: "http://user:secret@host/a.toy")
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.calls.isEmpty)
  }

  @Test func whatAModifierAuthorizedStaysEvenWhenItIsOnDisk() async throws {
    let modifier = FakeRequestModifier(cacheIdentity: .named("signer")) { request in
      var request = request
      request.headers["Authorization"] = "Bearer 1"
      return request
    }
    let fleet = fleet { $0.requestModifier = modifier }
    let url = fleet.place()
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.entries.isEmpty && fleet[0].disk.entries.count == 2)
    // A variant made from the original on disk stays too.
    _ = try await fleet[0].encoded(url, as: .print, [], [.thumbnailSize(PixelSize(width: 4, height: 4))])
    await fleet.settle()
    #expect(fleet.store.entries.isEmpty && fleet.loader.callCount == 1)
  }

  @Test func decryptedBytesAndFilesStay() async throws {
    let decrypting = fleet { $0.decryptor = XORDecryptor(key: 0) }
    let url = decrypting.place()
    _ = try await decrypting[0].encoded(url)
    await decrypting.settle()
    #expect(decrypting.store.calls.isEmpty)
    let fleet = fleet()
    fleet.loader.setOrigin(ImageOrigin(key: "file", diskUse: .variantsOnly), of: fleet.place())
    _ = try await fleet[0].encoded(url)
    _ = try await fleet[0].manager.encoded(from: ToyImage.small.imageBytes, key: "name", as: .print)
    await fleet.settle()
    #expect(fleet.store.calls.isEmpty && fleet.encodeCount == 2)
  }

  // MARK: Stores that fail

  @Test func aDeadStoreFailsNoLoad() async throws {
    let fleet = fleet()
    fleet.store.failEverything(with: Failure())
    for number in 0..<20 {
      let url = fleet.place(at: "http://host/\(number).toy")
      #expect(try await fleet[0].encoded(url).source == .network)
      await fleet.settle()
    }
    #expect(fleet.store.calls.filter { if case .query = $0 { true } else { false } }.count == 5)
    #expect(fleet[0].cache.sharedCounts.isOpen)
    #expect(fleet[0].cacheFailures.allSatisfy { $0.code == .cacheFailed })
  }

  @Test func aSlowStoreCostsALoadItsTimeOnce() async throws {
    let fleet = fleet()
    let url = fleet.place()
    for operation in StoreOperation.allCases { fleet.store.suspend(operation) }
    let load = Task { try await fleet[0].encoded(url) }
    await fleet.store.waitUntilSuspended(.query)
    await fleet.clock.waitForSleepers()
    fleet.clock.advance(by: .milliseconds(100))
    // The original is not looked for in the shared store any more: nothing moves the clock again.
    #expect(try await load.value.source == .network)
    #expect(fleet.store.calls.filter { if case .query = $0 { true } else { false } }.count == 1)
    for operation in StoreOperation.allCases { fleet.store.resume(operation) }
    await fleet.settle()
  }

  @Test func liesAreFoundOut() async throws {
    let liar = ToyImage(width: 3, height: 3, seed: 99)
    let lies: [@Sendable (CacheKey, CacheEntry?) -> CacheEntry?] = [
      { _, entry in entry.map { CacheEntry(bytes: liar.imageBytes, record: $0.record) } },
      { _, entry in entry.map { CacheEntry(bytes: ImageBytes([]), record: $0.record) } },
      { _, entry in entry.map { CacheEntry(bytes: ImageBytes([1, 2, 3]), record: $0.record) } },
      { _, entry in entry.map { CacheEntry(record: $0.record) } },
      { key, entry in
        entry.map { entry in
          var record = entry.record
          if key.isVariant { record.mimeType = "text/html" } else { record.generation += 1 }
          return entry.with(record)
        }
      },
      { _, entry in
        entry.map { entry in
          var record = entry.record
          record.response?.headers["Cache-Control"] = "private"
          return entry.with(record)
        }
      },
      { _, entry in
        entry.map { entry in
          var record = entry.record
          record.encodedSize = PixelSize(width: 1, height: 1)
          record.generation += 1
          return entry.with(record)
        }
      },
    ]
    for lie in lies {
      let fleet = fleet()
      let url = fleet.place()
      let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
      let honest = try await fleet[0].encoded(url, as: .toy, [], small)
      await fleet.settle()
      fleet.store.lie(lie)
      let result = try await fleet[1].encoded(url, as: .toy, [], small)
      #expect(result.source == .network && result.entityTag == honest.entityTag)
      await fleet.settle()
    }
  }

  // MARK: Removals and generations

  @Test func aRemovalReachesTheSharedStore() async throws {
    let fleet = fleet()
    let url = fleet.place()
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.entries.count == 2)
    try await fleet[1].manager.removeCachedImage(for: url)
    #expect(fleet.store.entries.isEmpty)
    _ = try await fleet[0].encoded(url, as: .print, .fromLoaderOnly)
    await fleet.settle()
    #expect(!fleet.store.entries.isEmpty)
    // One machine does not throw away the work of all unless it says so.
    try await fleet[1].manager.clearCache()
    #expect(!fleet.store.entries.isEmpty && fleet[1].disk.entries.isEmpty)
    #expect(try await fleet[1].encoded(url).source == .shared)
    await fleet.settle()
    try await fleet[1].manager.clearCache(.all)
    #expect(fleet.store.entries.isEmpty && fleet[1].disk.entries.isEmpty)
  }

  @Test func aResponseThatBecomesPrivateIsForgotten() async throws {
    let fleet = fleet()
    let url = fleet.place()
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(fleet.store.entries.count == 2)
    fleet.place(headers: ["Cache-Control": "private"])
    _ = try await fleet[1].encoded(url, as: .print, .fromLoaderOnly)
    await fleet.settle()
    #expect(fleet.store.entries.isEmpty)
  }

  @Test func anOlderOriginalNeverReplacesANewerOne() async throws {
    let fleet = fleet()
    let old = ToyImage(width: 8, height: 6, seed: 1)
    let url = fleet.place(old, headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
    // The first machine is slow: its store comes after that of the second one, which has newer bytes.
    fleet.store.suspend(.renew)
    fleet.store.suspend(.store)
    _ = try await fleet[0].encoded(url)
    await fleet.store.waitUntilSuspended(.renew)
    let new = ToyImage(width: 8, height: 6, seed: 2)
    fleet.place(new, headers: ["Date": "Sun, 06 Nov 1994 08:50:00 GMT"])
    let newest = try await fleet[1].encoded(url, as: .print, .fromLoaderOnly)
    await fleet.store.waitUntilSuspended(.renew, count: 2)
    fleet.store.resume(.renew)
    fleet.store.resume(.store)
    await fleet.settle()
    for entry in fleet.store.entries.values { #expect(entry.record.generation == newest.record.generation) }
    #expect(fleet.store.entries.count == 2)
  }
}
