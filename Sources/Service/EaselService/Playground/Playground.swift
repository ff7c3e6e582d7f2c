import EaselCore
import EaselTransformers
import FoundationEssentials

/// The page on which URLs are tried out.
///
/// It asks this server to sign URLs, so whoever reaches it can have any picture made. It therefore belongs on a loopback
/// address, or behind a secret.
public struct Playground: Sendable {
  /// One option of a URL, for which the page has a control.
  public struct Option: Hashable, Sendable {
    /// The name in URLs.
    public var name: String
    /// The arguments, as in `type:width:height`.
    public var arguments: String
    /// What the option does, in one sentence.
    public var help: String

    /// Describes an option of URLs for the page.
    public init(name: String, arguments: String, help: String) {
      self.name = name
      self.arguments = arguments
      self.help = help
    }
  }

  /// The word that the page must send to have URLs signed, nil if everyone may who reaches it.
  public var secret: String?
  /// The options of the page.
  public var options: [Option]
  /// Makes the signed path of a path without a signature.
  public var sign: @Sendable (_ path: String) -> String

  /// Makes the page that builds URLs, and signs them by the closure.
  public init(secret: String?, options: [Option], sign: @escaping @Sendable (_ path: String) -> String) {
    self.secret = secret
    self.options = options
    self.sign = sign
  }

  enum Route {
    case page, script, style, options
    /// The path to be signed.
    case sign(String)
  }

  static func route(_ target: Substring) -> Route? {
    let path = target.withoutQuery
    switch path {
    case "/": return .page
    case "/playground.js": return .script
    case "/playground.css": return .style
    case "/playground/options": return .options
    case "/playground/sign":
      let query = target.dropFirst(path.count + 1)
      guard query.hasPrefix("path=") else { return nil }
      return PercentText.decoded(query.dropFirst(5)).map(Route.sign)
    default: return nil
    }
  }

  /// True if the request may have URLs signed.
  func allows(_ request: ServiceRequest) -> Bool {
    guard let secret else { return true }
    let stated = Array((request.headers["Authorization"] ?? "").utf8)
    let wanted = Array("Bearer \(secret)".utf8)
    guard stated.count == wanted.count else { return false }
    // All bytes are compared, so that the time tells nothing.
    return zip(stated, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension ServiceExchange {
  /// The answer of the page; nil if the address is none of its own.
  func response(_ playground: Playground, _ route: Playground.Route) throws(ServiceError) -> ServiceResponse {
    switch route {
    case .page: return response(page: PlaygroundPage.html, "text/html; charset=utf-8")
    case .script: return response(page: PlaygroundPage.script, "text/javascript; charset=utf-8")
    case .style: return response(page: PlaygroundPage.style, "text/css; charset=utf-8")
    case .options:
      let options = playground.options.map { option in
        JSONText.Value.object([
          ("name", .text(option.name)), ("arguments", .text(option.arguments)), ("help", .text(option.help)),
        ])
      }
      return response(page: JSONText.object([("options", .list(options))]), "application/json")
    case .sign(let path):
      guard playground.allows(request) else {
        throw ServiceError(403, "The page needs the secret of this server to have addresses signed.")
      }
      return response(page: try signed(path, playground), "application/json")
    }
  }

  /// The signed address, and the same picture by the program and by the library.
  private func signed(_ path: String, _ playground: Playground) throws(ServiceError) -> String {
    guard path.hasPrefix("/"), path.utf8.count <= 8192, path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw ServiceError(400, "The path must begin with a slash and have at most 8192 visible characters.")
    }
    let signed = playground.sign(path)
    guard let place = MountedAddress(signed[...], among: settings.mounts) else {
      throw ServiceError(404, "There is nothing at this address.")
    }
    let wanted = try WantedImage(place, self, Date())
    let plan = try wanted.planWithoutWatermark()
    var members: [(String, JSONText.Value)] = [("url", .text(settings.values.pathPrefix + signed))]
    do throws(PlaygroundCode.Missing) {
      let code = try PlaygroundCode(wanted, plan, settings)
      members += [("command", .text(code.command)), ("hint", .text(code.hint)), ("swift", .text(code.swift))]
    } catch {
      members.append(("hint", .text(error.reason)))
    }
    return JSONText.object(members)
  }

  private func response(page text: String, _ type: String) -> ServiceResponse {
    var response = response(text: text, for: .playground)
    response.headers["Content-Type"] = type
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: http: https:; "
      + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    return response
  }
}
