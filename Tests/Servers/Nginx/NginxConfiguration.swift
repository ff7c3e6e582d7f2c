import Glibc

/// The configuration file of nginx.
struct NginxConfiguration {
  let directory: String
  let documentRoot: String
  let certificates: ServerCertificates
  let port: Int
  let securePort: Int
  let strictPort: Int

  var text: String {
    """
    daemon off;
    \(user)
    worker_processes 1;
    pid \(directory)/nginx.pid;
    error_log \(directory)/error.log warn;
    events { worker_connections 2048; }
    http {
      access_log off;
      \(temporaryPaths)
      types { image/png png; image/jpeg jpg jpeg; image/gif gif; image/webp webp; text/html html; text/plain txt; }
      default_type application/octet-stream;
      sendfile on;
      tcp_nopush on;
      tcp_nodelay on;
      keepalive_timeout 600;
      keepalive_requests 10000000;
      http2_max_concurrent_streams 256;
      large_client_header_buffers 8 64k;
      server {
        listen 127.0.0.1:\(port);
        listen 127.0.0.1:\(securePort) ssl http2;
        ssl_certificate \(certificates.authorityPath);
        ssl_certificate_key \(certificates.keyPath);
        \(locations)
      }
      server {
        listen 127.0.0.1:\(strictPort) ssl http2;
        ssl_certificate \(certificates.authorityPath);
        ssl_certificate_key \(certificates.keyPath);
        ssl_client_certificate \(certificates.clientCertificatePath);
        ssl_verify_client on;
        \(locations)
      }
    }
    """
  }

  /// The file with the names and passwords of those who may use `/dav/`.
  var usersPath: String { directory + "/users" }

  static let users = "easel:{PLAIN}opensesame\n"

  /// Started by root, nginx would otherwise serve files as a user that may not read those of the test.
  private var user: String { geteuid() == 0 ? "user root;" : "" }

  private var temporaryPaths: String {
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory)/\($0);" }
      .joined(separator: " ")
  }

  private var locations: String {
    """
    root "\(documentRoot)";
    location = /protocol { default_type text/plain; return 200 "$server_protocol $connection $connection_requests"; }
    location = /ok { default_type text/plain; return 200 "ok"; }
    location /slow/ { alias "\(documentRoot)/"; limit_rate 64k; }
    location /gzip/ { alias "\(documentRoot)/"; gzip on; gzip_types *; gzip_min_length 1; }
    location /fresh/ { alias "\(documentRoot)/"; expires 1h; }
    location /stale/ { alias "\(documentRoot)/"; add_header Cache-Control "max-age=0, must-revalidate"; }
    location /private/ { alias "\(documentRoot)/"; add_header Cache-Control "no-store"; }
    location /plain/ { alias "\(documentRoot)/"; etag off; if_modified_since off; max_ranges 0; }
    location /dav/ {
      alias "\(documentRoot)/"; dav_methods PUT DELETE MKCOL; auth_basic dav; auth_basic_user_file \(usersPath);
    }
    location /moved/301/ { rewrite ^/moved/301/(.*)$ /$1 permanent; }
    location /moved/302/ { rewrite ^/moved/302/(.*)$ /$1 redirect; }
    location ~ ^/moved/303/(.*)$ { return 303 /$1; }
    location ~ ^/moved/307/(.*)$ { return 307 /$1; }
    location ~ ^/moved/308/(.*)$ { return 308 /$1; }
    location ~ ^/secure/(.*)$ { return 302 https://127.0.0.1:\(securePort)/$1; }
    location ~ ^/insecure/(.*)$ { return 302 http://127.0.0.1:\(port)/$1; }
    location = /loop { return 302 /loop; }
    """
  }
}
