import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

@testable import EaselAzure

/// A server that checks requests as Azure does, with blobs of the tests.
final class AzureServer: Sendable {
  static let account = "pictures"
  static let key = Data("a key of sixty-four bytes, of which nobody but the tests knows!!".utf8).base64EncodedString()
  static let token = "sv=2021-08-06&sr=c&sp=r&sig=abc%2Fdef%3D"

  /// The answers to requests that are right.
  enum Access: Sendable {
    case everybody, key, token
  }

  private let server: ScriptableServer

  /// Serves these blobs, named `container/blob` as they are escaped.
  init(_ blobs: [String: ServerRoute], for access: Access) throws {
    server = try ScriptableServer(
      routes: Dictionary(
        uniqueKeysWithValues: blobs.map { name, route in
          (
            "/\(Self.account)/\(name)",
            ServerRoute { request in
              if let refusal = Self.refusal(of: request, access) { return refusal }
              return route.answer(request)
            }
          )
        }))
  }

  func close() { server.close() }

  var requests: [ServerRequest] { server.requests }

  func configuration(_ credential: AzureCredential) -> AzureConfiguration {
    AzureConfiguration(
      account: Self.account, credential: credential, endpoint: URL(string: "\(server.origin)/\(Self.account)")!)
  }

  private static func refusal(of request: ServerRequest, _ access: Access) -> ServerScript? {
    let isRight =
      switch access {
      case .everybody: request.headers["Authorization"] == nil && request.query == nil
      case .token: request.headers["Authorization"] == nil && request.query == token
      case .key: request.query == nil && request.headers["Authorization"] == authorization(of: request)
      }
    let isOfVersion = request.headers["x-ms-version"] == "2021-08-06"
    return isRight && isOfVersion ? nil : .reply(403, body: Array("<Code>AuthenticationFailed</Code>".utf8))
  }

  /// What the field must be by the documentation of Azure, from the request as it came.
  private static func authorization(of request: ServerRequest) -> String {
    func field(_ name: String) -> String { request.headers[name] ?? "" }
    let own = request.headers.fields.filter { $0.name.lowercased().hasPrefix("x-ms-") }
      .map { "\($0.name.lowercased()):\($0.value)" }.sorted().joined(separator: "\n")
    let text = """
      \(request.method)
      \(field("Content-Encoding"))
      \(field("Content-Language"))

      \(field("Content-MD5"))
      \(field("Content-Type"))
      \(field("Date"))
      \(field("If-Modified-Since"))
      \(field("If-Match"))
      \(field("If-None-Match"))
      \(field("If-Unmodified-Since"))
      \(field("Range"))
      \(own)
      /\(account)\(request.path)
      """
    let code = HMAC.sha256(Array(Data(base64Encoded: key)!), Array(text.utf8))
    return "SharedKey \(account):\(Data(code).base64EncodedString())"
  }
}
