import EaselTestSupport
import FoundationEssentials

@testable import EaselCore
@testable import EaselService

/// Asks the page on which URLs are tried out, as its script does.
struct PlaygroundVisitor {
  let studio: ServiceStudio

  init(secret: String? = nil, _ configure: (inout ImageService.Configuration) -> Void = { _ in }) {
    let signer = URLSigner([URLSigner.Key(key: [1], salt: [2])])
    studio = ServiceStudio {
      $0.grammars = [
        GrammarMount(ImgproxyReader(rules: URLRules(), signer: signer, formats: NamedFormats.names))
      ]
      $0.playground = Playground(secret: secret, options: Playground.Option.all) { signer.signed($0) }
      configure(&$0)
    }
  }

  /// The answer to a path that is to be signed.
  func sign(_ path: String, _ headers: HTTPHeaders = [:]) -> ServiceResponse? {
    studio.atOnce("/playground/sign?path=\(Self.escaped(path))", headers)
  }

  /// The texts that the page shows for a source and its options; throws if the path is refused.
  func texts(_ source: String, options: String = "", format: String = "") throws -> [String: String] {
    guard let answer = sign("/\(options)plain/\(Self.escaped(source))\(format)"), answer.status == 200 else {
      throw ServiceError(400, "The path is not signed.")
    }
    return try JSONDecoder().decode([String: String].self, from: Data(answer.bytes))
  }

  /// The text with every byte but small letters as a percent sign and two digits.
  static func escaped(_ text: String) -> String {
    text.utf8.map { byte -> String in
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      return isLetter ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
