// The first start, in Spanish.
import type { start as Start } from '../en/start';
import { plural } from '../plural';

export const start: typeof Start = {
  step: (n, of) => `Paso ${n} de ${of}`,
  home: 'Ir a docent',
  wait: 'Un momento…',

  who: '¿Quién usará docent?',
  me: 'Solo yo',
  meNote: 'Nadie inicia sesión. Cualquiera que use este equipo puede usar también docent. Puede activar el inicio de sesión más adelante.',
  team: 'Mi equipo de trabajo',
  teamNote: 'Todos inician sesión. Usted administra docent e invita a los demás.',
  admin: 'Su cuenta',
  name: 'Su nombre',
  nameRule: 'Inicia sesión con este nombre. Se permiten letras, dígitos y . _ @ + -',
  password: 'Contraseña',
  again: 'Repita la contraseña',
  differ: 'Las contraseñas no coinciden.',
  next: 'Continuar',
  restarts: 'docent está activando el inicio de sesión…',
  late: 'docent aún no responde. Vuelva a abrir la página e inicie sesión.',

  answers: '¿Cómo debe responder docent?',
  answersNote: 'Puede cambiarlo en cualquier momento en la consola.',
  quotes: 'Con citas',
  quotesNote: 'docent cita los pasajes que responden a una pregunta. No necesita ningún modelo y nada sale de este equipo.',
  local: (model, provider) => `Con ${model} (${provider})`,
  localNote: 'Un modelo de chat en este equipo escribe respuestas a partir de los pasajes.',
  key: 'Con otro modelo…',
  keyNote: 'De un proveedor como OpenAI o Mistral, o de un servidor propio. Recibe las preguntas y los pasajes.',
  looking: 'docent busca modelos en este equipo…',
  testing: (model) => `docent habla con ${model}…`,
  selected: (model) => `${model} escribe las respuestas.`,

  documents: 'Añadir documentos',
  documentsNote: 'docent responde a partir de ellos. Puede añadir más en cualquier momento.',
  files: 'Archivos o una carpeta',
  site: 'Un sitio web',
  address: 'Dirección del sitio web',
  add: 'Añadir',
  added: (address) => `docent lee ${address} en segundo plano.`,
  read: (done, total) => `${done} de ${plural(total, 'archivo leído', 'archivos leídos', 'es')}`,
  failed: (n) => `${plural(n, 'archivo', 'archivos', 'es')} con error`,
  later: 'Más tarde',

  done: 'docent está listo',
  doneNote: 'Haga una pregunta sobre sus documentos. Cada respuesta muestra de dónde procede.',
  ask: 'Hacer la primera pregunta',
  invite: 'Invitar a personas',
};
