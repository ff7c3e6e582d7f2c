import Easel
import EaselService
import EaselTestSupport
import Testing

/// The rules of every server that mounts a picture service, checked over connections as clients open them.
public struct ServerContract: Sendable {
  /// A rule of the contract.
  public enum Rule: CaseIterable, Sendable {
    /// Pictures, their validators and their errors go out as the service gave them.
    case servesPictures
    /// Requests for anything else reach the routes of the program.
    case passesOtherRequests
    /// One connection takes many requests.
    case keepsConnections
    /// A client that leaves ends its work.
    case endsWorkOfClientsThatLeave
    /// Several pictures are made of one upload, whether it comes in one part or in many.
    case makesPicturesOfUploads
    /// An upload that is no picture, or has no bytes, is refused.
    case refusesOtherUploads
    /// An upload that breaks off ends its work.
    case endsUploadsThatBreakOff

    /// The rules of servers that take no uploads.
    public static let ofRequests: [Rule] = [
      .servesPictures, .passesOtherRequests, .keepsConnections, .endsWorkOfClientsThatLeave,
    ]
  }

  /// Runs a server with the service of a studio while the body runs, which gets its port.
  ///
  /// The server also answers `/hello` with `hello`, and an upload to `/uploads` with the sizes of its ``variants``.
  public typealias Serving =
    @Sendable (_ studio: AdapterStudio, _ body: @Sendable (_ port: Int) async throws -> Void) async throws -> Void

  /// The pictures that the server makes of an upload.
  public static let variants = [8, 4].map { ImageVariant(.resize(width: $0), as: EncodeRecipe(.png)) }

  /// The answer to an upload.
  public static func answer(_ made: [EncodedImage]) -> String {
    made.map { "\($0.size)" }.joined(separator: " ")
  }

  private let serve: Serving

  /// Takes a way to run a server.
  public init(_ serve: @escaping Serving) { self.serve = serve }

  /// Expects that a rule is kept.
  public func check(_ rule: Rule) async throws {
    let studio = try AdapterStudio()
    let check: @Sendable (AdapterStudio, Int) async throws -> Void =
      switch rule {
      case .servesPictures: servesPictures
      case .passesOtherRequests: passesOtherRequests
      case .keepsConnections: keepsConnections
      case .endsWorkOfClientsThatLeave: endsWorkOfClientsThatLeave
      case .makesPicturesOfUploads: makesPicturesOfUploads
      case .refusesOtherUploads: refusesOtherUploads
      case .endsUploadsThatBreakOff: endsUploadsThatBreakOff
      }
    try await serve(studio) { port in try await check(studio, port) }
  }

  @Sendable private func servesPictures(_ studio: AdapterStudio, _ port: Int) async throws {
    let made = try await LoopbackClient.get(AdapterStudio.path, from: port)
    #expect(made.status == 200 && made.headers["Content-Type"] == "image/png")
    let header = try PNGCoder().probe(ImageBytes(made.body), work: WorkContext())
    #expect(header.storedSize == PixelSize(width: 8, height: 6))
    // From now on it is in memory.
    let again = try await LoopbackClient.get(AdapterStudio.path, from: port)
    #expect(again.body == made.body && again.headers["Content-Length"] == "\(made.body.count)")
    let head = try await LoopbackClient.get(AdapterStudio.path, from: port, method: "HEAD")
    #expect(head.body.isEmpty && head.headers["Content-Length"] == "\(made.body.count)")
    let tag = made.headers["ETag"] ?? ""
    let same = try await LoopbackClient.get(AdapterStudio.path, from: port, headers: ["If-None-Match: \(tag)"])
    // A length would be that of the picture, which is not zero.
    #expect(same.status == 304 && same.body.isEmpty && same.headers["Content-Length"] == nil)
    #expect(same.headers["ETag"] == tag && same.headers["Transfer-Encoding"] == nil)
    #expect(studio.loader.callCount == 1)
    #expect(try await LoopbackClient.get("/pictures/unsafe/nonsense", from: port).status == 400)
  }

  @Sendable private func passesOtherRequests(_ studio: AdapterStudio, _ port: Int) async throws {
    #expect(try await LoopbackClient.get("/hello", from: port).text.hasSuffix("hello"))
    #expect(try await LoopbackClient.get("/picturesque", from: port).status == 404)
    #expect(studio.loader.callCount == 0)
  }

  @Sendable private func keepsConnections(_ studio: AdapterStudio, _ port: Int) async throws {
    let client = try RawClient(port: port)
    defer { client.close() }
    // The second and the third request find the picture in memory. All are sent before the first answer.
    client.send(Array(repeating: LoopbackClient.head(AdapterStudio.path), count: 3).joined())
    client.send(LoopbackClient.head("/hello", isLast: true))
    let text = await client.receive().text
    #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "200", "200", "200"])
    #expect(text.hasSuffix("hello") && studio.loader.callCount == 1)
  }

  @Sendable private func endsWorkOfClientsThatLeave(_ studio: AdapterStudio, _ port: Int) async throws {
    studio.loader.suspend(AdapterStudio.source)
    let client = try RawClient(port: port)
    client.send(LoopbackClient.head(AdapterStudio.path))
    await studio.loader.waitUntilSuspended(AdapterStudio.source)
    client.close()
    await studio.waitForCancellation()
    #expect(studio.loader.calls(for: AdapterStudio.source).count == 1)
  }

  @Sendable private func makesPicturesOfUploads(_ studio: AdapterStudio, _ port: Int) async throws {
    for upload in [try AdapterStudio.png(), try AdapterStudio.noise(width: 500, height: 375)] {
      let answer = try await LoopbackClient.post(upload, to: "/uploads", at: port)
      #expect(answer.status == 200 && answer.text.hasSuffix("8x6 4x3"))
    }
    await studio.observer.wait(for: "succeeded", count: 4)
  }

  @Sendable private func refusesOtherUploads(_ studio: AdapterStudio, _ port: Int) async throws {
    let other = try await LoopbackClient.post(Array("no picture".utf8), to: "/uploads", at: port)
    #expect(other.status == 415)
    #expect(try await LoopbackClient.post([], to: "/uploads", at: port).status == 422)
    let client = try RawClient(port: port)
    defer { client.close() }
    client.send(
      LoopbackClient.head("/uploads", "POST", isLast: true, headers: ["Transfer-Encoding: chunked"]) + "0\r\n\r\n")
    #expect(await client.receive().status == 422)
    #expect(!studio.observer.names.contains("succeeded"))
  }

  @Sendable private func endsUploadsThatBreakOff(_ studio: AdapterStudio, _ port: Int) async throws {
    let png = try AdapterStudio.noise(width: 500, height: 400)
    let client = try RawClient(port: port)
    client.send(LoopbackClient.head("/uploads", "POST", length: png.count))
    client.send(Array(png.dropLast(20)))
    await studio.observer.wait(for: "response", count: 2)
    client.close()
    await studio.observer.wait(for: "failed", count: 2)
    #expect(!studio.observer.names.contains("succeeded"))
  }
}
